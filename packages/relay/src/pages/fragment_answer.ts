import type { Html, HtmlValue } from '../base/html.ts';
import type { RelayRequest, RelayResponse } from '../base/http.ts';
import type { Form } from '../form.ts';
import { errorList, formElementId, languageAttributes } from './fragments.ts';
import { htmxTarget } from './negotiation.ts';

export const fragmentAnswer = (status: number, markup: Html | undefined): RelayResponse => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  },
  body: markup?.toString() ?? '',
});

/**
 * An error list must not take the place of what the visitor typed. When the target is a form that the relay rendered,
 * htmx puts the list into its status line instead, of this form even where it is in the page twice.
 */
export function errorFragment(
  status: number,
  messages: readonly HtmlValue[],
  form: Form | undefined,
  request: RelayRequest,
): RelayResponse {
  const answer = fragmentAnswer(status, errorList(messages, form && languageAttributes(form)));
  if (!form || htmxTarget(request) !== formElementId(form)) return answer;
  const instructions = { 'hx-retarget': 'find .form-status', 'hx-reswap': 'innerHTML' };
  return { ...answer, headers: { ...answer.headers, ...instructions } };
}
