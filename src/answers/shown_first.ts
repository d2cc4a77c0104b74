import type { Field } from '../fields/field.ts';
import type { Form } from '../form.ts';
import type { RelayRequest } from '../http.ts';
import type { Values } from '../values.ts';
import { slotElementId, slotElementPrefix } from '../views/element_ids.ts';
import type { FormView } from '../views/form_view.ts';
import { addressBase } from './address_base.ts';
import type { AnswerContext } from './context.ts';
import { freshToken } from './fresh_token.ts';
import { htmxTarget } from './negotiation.ts';

/** A form as GET shows it, with values from the query. */
export function shownFirst(
  form: Form,
  query: Values,
  medium: FormView['medium'],
  context: AnswerContext,
): FormView {
  const { request, settings } = context;
  return {
    base: addressBase(request, settings.publicUrl, medium),
    values: declaredValues(form, query),
    seen: seenBy(request, form),
    errors: [],
    messages: [],
    token: freshToken(form, context),
    medium,
  };
}

/**
 * A field inside the form asks what is to be there now. Other fields with a condition say that they are there by being
 * sent, if only empty (views/browser/form_events.ts).
 */
function seenBy(request: RelayRequest, form: Form): readonly Field[] {
  const asking = htmxTarget(request);
  if (!asking.startsWith(slotElementPrefix(form))) return [];
  return form.fields.filter(
    ({ name, visible_when }) => !visible_when || slotElementId(form, name) === asking,
  );
}

/** What was sent for the form's fields, and neither for the token nor for the honeypot. */
export const declaredValues = ({ fields }: Form, sent: Values): Map<string, readonly string[]> =>
  new Map(fields.flatMap(({ name }) => (sent.has(name) ? [[name, sent.get(name) ?? []]] : [])));
