import type { Field, FormView, LocalizedText, Message } from '@form-relay/core/index';
import { hasLinks, withLinks, withoutLinks } from '@form-relay/core/kit';

/** The script's words by attribute: the code of a problem, or of other words for it. */
const spoken = {
  sending: 'sending',
  'not-sent': 'not_sent',
  'not-sent-yet': 'not_sent_yet',
  'not-ready': 'not_ready',
  'summary-title': 'summary_title',
  'field-error': 'field_error',
  'form-expired': 'form_ready_again',
  throttled: 'slow_down_page',
  undelivered: 'not_delivered_page',
};

/** The script fills in what stands in braces. */
const params: Message['params'] = { field: '{field}', error: '{error}' };

/** The form for the element's script, with the `data-` attributes that the script reads (packages/element/src/element). */
export function scriptView(view: FormView): FormView {
  const { fields, locale, classes } = view;
  const said = ([name, code]: [string, string]) => [`data-${name}`, locale.translate({ code, params })];
  return {
    ...view,
    medium: 'script',
    query: queryOf(view),
    attributes: {
      ...view.attributes,
      'data-when': conditions(fields),
      ...ownersWords(view.form.provided.get('failure_message'), view),
      'data-error-class': classes?.error,
      ...Object.fromEntries(Object.entries(spoken).map(said)),
    },
  };
}

/** The form asks for pages, so that its visitor never ends on JSON. A field of this name has precedence. */
export const queryOf = ({ fields }: FormView): string | undefined =>
  fields.some(({ name }) => name === 'as') ? undefined : 'as=page';

/** The owner's words for when sending fails: if the relay is down, no answer brings them. */
function ownersWords(text: LocalizedText | undefined, { locale }: FormView) {
  if (text === undefined) return undefined;
  const words = locale.text(text);
  return {
    'data-failure-message': withoutLinks(words),
    'data-failure-message-html': hasLinks(words) ? withLinks(words).toString() : undefined,
  };
}

/**
 * A list for each field that comes and goes: its name, with a dot after that of one of parts; whether the browser demands it, the
 * field that decides, how, by what.
 */
function conditions(fields: readonly Field[]): string | undefined {
  const rules = fields.flatMap(({ name, required, layout, inputs, visible_when: when }) => {
    if (!when) return [];
    const isDemanded = required && layout !== 'group' && layout !== 'inputs';
    const rule = [inputs ? `${name}.` : name, isDemanded ? 1 : 0, when.field, when.test, ...when.values];
    return [rule];
  });
  return rules.length > 0 ? JSON.stringify(rules) : undefined;
}
