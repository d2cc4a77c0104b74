import type { RelayResponse } from '../base/http.ts';
import type { FieldError, Refusal } from '../base/outcome.ts';
import { homepage } from '../base/version.ts';
import { jsonPointer } from '../bodies/json_pointer.ts';
import type { Lists } from '../bodies/sent.ts';
import type { Form } from '../form.ts';
import type { Say } from '../messages/message.ts';
import { hasLinks, withLinks, withoutLinks } from '../schema/linked_text.ts';
import { labelIn } from './field_view.ts';
import { errorBeside } from './visitors_language.ts';

interface About {
  readonly say: Say;
  readonly form: Form | undefined;
  readonly errors: readonly FieldError[] | undefined;
  /** The lists of a JSON body; `undefined` for other bodies. */
  readonly lists: Lists | undefined;
  /** Members with which a script sends the form again. */
  readonly renewal: object | undefined;
  /** The owner's words. */
  readonly failureMessage: string | undefined;
}

/**
 * RFC 9457, for programs that ask for it: the code of what is wrong beside its words, and each field's own.
 */
export function problemAnswer(
  status: number,
  message: Refusal,
  { say, form, errors, lists, renewal, failureMessage }: About,
): RelayResponse {
  const answer = jsonAnswer(status, {
    type: problemType(message.code),
    title: titles[status],
    status,
    detail: say(message),
    code: message.code,
    errors: errors?.map((error) => ({
      field: error.field,
      label: form && labelIn(form, error.field),
      code: error.code,
      message: form ? errorBeside(form, error) : say(error),
      summary: form && unlabelledError(form, error),
      pointer: pointerTo(error, form, lists),
    })),
    pointer: message.params?.pointer,
    ...renewal,
    ...textAndMarkup('failure_message', failureMessage),
  });
  return { ...answer, headers: { ...answer.headers, 'content-type': 'application/problem+json' } };
}

/** Leads to what the manual says about the code, once the manual has an address. */
export const problemType = (code: string): string =>
  homepage ? `${homepage}problems.html#${code}` : 'about:blank';

/** The wrong value, or the field, in the JSON that was sent; of another body, in what it would be as JSON (RFC 6901). */
function pointerTo({ field, at }: FieldError, form: Form | undefined, lists: Lists | undefined): string {
  const input = form?.inputs.find(({ name }) => name === field);
  const steps = input?.steps ?? [field];
  if (at === undefined) return jsonPointer(...steps);
  const place = lists ? lists.get(field)?.[at] : input?.takesSeveral ? at : undefined;
  return place === undefined ? jsonPointer(...steps) : jsonPointer(...steps, place);
}

/** By RFC 9110. Not `STATUS_CODES` from `node:http`, which a cold start need not load. */
const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

export const jsonAnswer = (status: number, body: object): RelayResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});

/** The owner's words as text, and as markup (`<key>_html`) where they hold a link. */
export const textAndMarkup = (key: string, words: string | undefined): object =>
  words === undefined
    ? {}
    : {
        [key]: withoutLinks(words),
        ...(hasLinks(words) && { [`${key}_html`]: withLinks(words).toString() }),
      };

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
