import type { Field } from '../fields/field.ts';
import { unwatchedBudget } from '../fields/pattern.ts';
import { visibleFields } from '../fields/visible_when.ts';
import type { Form } from '../form.ts';
import type { FieldError } from '../outcome.ts';
import { isTooLong, type Values, withoutEmpty } from '../values.ts';
import type { FormView } from '../views/form_view.ts';
import { addressBase } from './address_base.ts';
import type { AnswerContext } from './context.ts';
import { freshToken, waitedWith } from './fresh_token.ts';
import { audienceOf } from './negotiation.ts';
import { declaredValues } from './shown_first.ts';

/** A form as its sender gets it back: with all that was typed, and the waiting done so far (D7). */
export function shownAgain(
  form: Form,
  context: AnswerContext,
  { errors, messages }: Pick<FormView, 'errors' | 'messages'>,
): FormView {
  const { request, settings } = context;
  const sent = sentValues(context);
  const values = declaredValues(form, sent);
  const seen = visibleFields(form.fields, values);
  return {
    base: addressBase(request, settings.publicUrl),
    values,
    seen,
    carried: carriedValues(form, sent, seen, errors),
    errors,
    messages,
    token: freshToken(form, context, waitedWith(sent, form, context)),
    medium: audienceOf(request) === 'page' ? 'plain' : 'fragment',
  };
}

/** Nothing, where the body could not be read. */
export function sentValues({ body }: AnswerContext): Values {
  const sent = body();
  return sent.ok ? sent.value : new Map();
}

/**
 * What was sent and no control shows, as pages of the owner's own send it: further values of a field that shows one,
 * and names that no field has and an output uses (D4). A correction must not lose it; without what is wrong itself,
 * since nobody could correct it.
 */
function carriedValues(
  form: Form,
  sent: Values,
  seen: readonly Field[],
  errors: readonly FieldError[],
): Values {
  const declared = new Set(form.fields.map(({ name }) => name));
  const wrong = new Set(errors.map(({ field }) => field));
  const carried = new Map<string, readonly string[]>();
  for (const [name, values] of sent) {
    if (form.usedNames.has(name) && !declared.has(name) && !wrong.has(name)) carried.set(name, values);
  }
  const budget = unwatchedBudget();
  for (const field of seen.filter(({ possibleValues }) => !possibleValues)) {
    const further = withoutEmpty(sent.get(field.name) ?? []).slice(1);
    const isSound = (value: string) => !isTooLong(value) && field.check([value], budget) === undefined;
    carried.set(field.name, wrong.has(field.name) ? further.filter(isSound) : further);
  }
  return carried;
}
