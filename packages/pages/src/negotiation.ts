import { parseQuery } from '@form-relay/base/urlencoded';
import { asksByHtmx } from '@form-relay/core/http/request';
import type { Form, Locale, Outcome, RelayRequest } from '@form-relay/core/index';

/** Whether the query asks for a page. The form's fields have precedence in queries (SPEC: GET /api/v1/form/{form}). */
const asksForPage = ({ query }: RelayRequest, form: Form | undefined): boolean =>
  query.includes('as=page') &&
  parseQuery(query)?.get('as')?.[0] === 'page' &&
  !form?.fields.some(({ name }) => name === 'as');

/** Whether people read the response: the page of a form, and the targets of links in mails and of redirects after a submission. */
const isForPeople = ({ path }: RelayRequest): boolean =>
  /^\/(f|api\/v1\/(changes|confirm|sent))(\/|$)/.test(path);

/** Whether a browser navigates to the response. Browsers list HTML first. */
const navigates = ({ headers }: RelayRequest): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && namesHtmlFirst(headers);

const namesHtmlFirst = ({ accept = '' }: RelayRequest['headers']) => /^\s*text\/html\b/i.test(accept);

/** Whether a browser sent a form from a page of the relay, according to the URL. */
export const isFromOwnPage = (request: RelayRequest, form: Form | undefined): boolean =>
  !asksByHtmx(request) && !asksForProblem(request) && (isForPeople(request) || asksForPage(request, form));

/** Returns a page if a browser navigates or the query asks for one, and otherwise a fragment (SPEC: GET /api/v1/form/{form}). */
export const wantsFormPage = (request: RelayRequest, form: Form | undefined): boolean =>
  !asksByHtmx(request) &&
  (request.headers['sec-fetch-mode'] === 'navigate' ||
    (isForPeople(request) && !asksForScript(request)) ||
    asksForPage(request, form));

/** Whether an outcome is answered with a page. A success is answered with JSON even in browsers (SPEC: POST …/submit). */
export function wantsPage(request: RelayRequest, form: Form | undefined, isError: boolean): boolean {
  if (isFromOwnPage(request, form)) return true;
  const isOfBrowser = mayRedirect(form) ? namesHtmlFirst(request.headers) : isError && navigates(request);
  return isOfBrowser && !asksByHtmx(request) && !asksForProblem(request);
}

/** Whether some submissions of the form are redirected. */
export const mayRedirect = (form: Form | undefined): boolean =>
  form?.provided.get('redirect') !== undefined || form?.provided.get('thanks')?.redirects === true;

/** Whether a success may be redirected. */
export const asksForRedirect = (request: RelayRequest, form: Form | undefined): boolean =>
  isFromOwnPage(request, form) || mayRedirect(form);

export const asksForProblem = (request: RelayRequest): boolean =>
  request.headers.accept?.includes('application/problem+json') === true && !asksByHtmx(request);

/** Whether the element's script sent the request. The profile in its Accept header needs no preflight. */
export const asksForScript = ({ headers }: RelayRequest): boolean =>
  headers.accept?.includes('profile=form-relay') === true;

/**
 * Where a visitor is redirected after a success. A response with another text than the confirmation is not
 * redirected, because the owner's page does not know that text.
 */
export function redirectOf(
  { says, redirect }: Outcome,
  form: Form | undefined,
  locale: Locale,
): string | undefined {
  if (says !== undefined) return undefined;
  const own = form?.provided.get('redirect');
  return redirect?.(locale) ?? (own && locale.text(own));
}
