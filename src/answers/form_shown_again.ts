import { visibleFields } from '../fields/visible_when.ts';
import type { Form } from '../form.ts';
import type { FieldError } from '../outcome.ts';
import { type Values, withoutEmpty } from '../values.ts';
import type { FormView } from '../views/form_view.ts';
import type { AnswerContext } from './answer_context.ts';
import { addressBase } from './base_url.ts';
import { declaredValues } from './form_shown_first.ts';
import { freshToken, waitedMs } from './fresh_token.ts';
import { audienceOf } from './negotiation.ts';

/** A form as its sender gets it back: with all that was typed, and the waiting done so far (D7). */
export function shownAgain(
  form: Form,
  context: AnswerContext,
  { errors, messages }: Pick<FormView, 'errors' | 'messages'>,
): FormView {
  const { request, settings, sent } = context;
  const medium = audienceOf(request) === 'page' ? 'plain' : 'fragment';
  return {
    base: addressBase(request, settings.publicUrl, medium),
    ...refilled(form, sent, errors),
    errors,
    messages,
    token: freshToken(form, context, waitedMs(form, context)),
    medium,
  };
}

/**
 * All that was sent: what fields show, and `carried`, what no control shows, as pages of the owner's own send it:
 * further values of a field that shows one, and names that no field has and an output uses (D4). A correction must not
 * lose it. Only what is wrong under such a name is left out: nobody could correct it.
 */
function refilled(
  form: Form,
  sent: Values,
  errors: readonly FieldError[],
): Pick<FormView, 'values' | 'seen' | 'carried'> {
  const values = declaredValues(form.fields, sent);
  const seen = visibleFields(form.fields, values);
  const errorOf = new Map(errors.map((error) => [error.field, error]));
  const declared = new Set(form.fields.map(({ name }) => name));
  const carried = new Map<string, readonly string[]>();
  for (const [name, all] of sent) {
    if (form.usedNames.has(name) && !declared.has(name) && !errorOf.has(name)) carried.set(name, all);
  }
  for (const { name, possibleValues } of seen) {
    const filled = withoutEmpty(sent.get(name) ?? []);
    if (possibleValues || filled.length < 2) continue;
    // The control shows the first. That is to be the one that is wrong; others that are wrong have their turn later.
    const at = errorOf.get(name)?.at ?? 0;
    const further = filled.toSpliced(at, 1);
    values.set(name, [...filled.slice(at, at + 1), ...further]);
    carried.set(name, further);
  }
  return { values, seen, carried };
}
