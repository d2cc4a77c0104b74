import type { FieldError } from '../base/outcome.ts';
import type { Form } from '../form.ts';
import { labelIn } from './field_view.ts';
import { errorBeside } from './visitors_language.ts';

/** The same, if it can stand in a list of errors without a label: "Enter your name." */
export function unlabelledError(form: Form, error: FieldError): string | undefined {
  const { codes, areClear } = form.sentences.get(error.field) ?? {};
  return areClear && codes?.[error.code] ? errorBeside(form, error) : undefined;
}

/** An error after the label of its field. A label may be a sentence, such as the one beside a box to tick. */
export function labelledError(form: Form, error: FieldError): string {
  const field = labelIn(form, error.field).replace(/(?<=[^\s.:?。：？])[\s.:?。：？]+$/, '');
  return form.say({ code: 'field_error', params: { field, error: errorBeside(form, error) } });
}
