/** `GET /api/v1/form/{form}?as=json`: the form as data, for agents and for programs that show it themselves. */
import { parseQuery } from '@form-relay/base/urlencoded';
import { jsonAnswer } from '@form-relay/core/html/fragments';
import type { Form, FormView, Outcome, Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { freshToken } from '@form-relay/spam/form_token';

/** A query parameter fills in a field of this name first (SPEC: GET /api/v1/form/{form}). */
const asksForData = ({ request, fields, sent, isLoaded }: FormView): boolean =>
  request?.query.includes('as=json') === true &&
  !sent &&
  !isLoaded &&
  parseQuery(request.query)?.get('as')?.[0] === 'json' &&
  !fields.some(({ name }) => name === 'as');

type Prepare = Form['prepareView'][number];

/** Programs get the form as visitors would currently see it, or the reason why it is not shown. */
async function formData(view: FormView, form: Form, own: Prepare): Promise<Outcome> {
  let shown = view;
  for (const prepare of form.prepareView.slice(form.prepareView.indexOf(own) + 1)) {
    const next = await prepare(shown);
    if ('kind' in next) {
      const { isClosed: _, ...outcome } = next;
      return outcome;
    }
    shown = next;
  }
  const { formSchema } = await import('./form_schema.ts');
  const { locale, base, fields, values, locked, request, settings, services, now = 0 } = shown;
  const token = form.provided.get('form_token');
  // The link that opened the form.
  const inputs = [...(parseQuery(request?.query ?? '') ?? [])].filter(([name]) =>
    form.reservedNames.has(name),
  );
  const further = {
    ...(inputs.length > 0 && { inputs: Object.fromEntries(inputs.map(([name, [first]]) => [name, first])) }),
    ...(token &&
      settings &&
      services && {
        token: freshToken(token, { formId: form.id, settings, services, request, now }),
      }),
  };
  const schema = formSchema(form, { locale, base, fields, values, locked, further });
  return { kind: 'form_data', status: 200, answer: jsonAnswer(200, schema) };
}

const formDataFeature = feature({
  name: 'form_data',
  configure: () => {
    const own: Prepare = (view) => (asksForData(view) ? formData(view, view.form as Form, own) : view);
    return { view: own };
  },
});

export const formDataPlugin: Plugin = { name: 'form_data', features: [formDataFeature] };
