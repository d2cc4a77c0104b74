import { parseQuery } from '@form-relay/base/urlencoded';
import { asksByHtmx } from '@form-relay/core/http/request';
import type { Form, Locale, Outcome, RelayRequest } from '@form-relay/core/index';

/** The query that asks for a page. A query belongs to the form's fields first (SPEC: GET /api/v1/form/{form}). */
const asksForPage = ({ query }: RelayRequest, form: Form | undefined): boolean =>
  query.includes('as=page') &&
  parseQuery(query)?.get('as')?.[0] === 'page' &&
  !form?.fields.some(({ name }) => name === 'as');

/** People read the page of a form, and what a link in a mail, and a redirect after a submission, lead to. */
const isForPeople = ({ path }: RelayRequest): boolean =>
  /^\/(f|api\/v1\/(changes|confirm|sent))(\/|$)/.test(path);

/** Whether a browser shows the answer in place of its page. Browsers name HTML first. */
const navigates = ({ headers }: RelayRequest): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && namesHtmlFirst(headers);

const namesHtmlFirst = ({ accept = '' }: RelayRequest['headers']) => /^\s*text\/html\b/i.test(accept);

/** Whether a form of the relay's own was sent by its browser, as its address says. */
export const isFromOwnPage = (request: RelayRequest, form: Form | undefined): boolean =>
  !asksByHtmx(request) && !asksForProblem(request) && (isForPeople(request) || asksForPage(request, form));

/** A browser navigates, or the query asks for a page; all others get the fragment (SPEC: GET /api/v1/form/{form}). */
export const wantsFormPage = (request: RelayRequest, form: Form | undefined): boolean =>
  !asksByHtmx(request) &&
  (request.headers['sec-fetch-mode'] === 'navigate' ||
    (isForPeople(request) && !asksForScript(request)) ||
    asksForPage(request, form));

/** Whether an outcome is answered with a page. A success has its JSON in browsers, too (SPEC: POST …/submit). */
export function wantsPage(request: RelayRequest, form: Form | undefined, isError: boolean): boolean {
  if (isFromOwnPage(request, form)) return true;
  const isOfBrowser = mayRedirect(form) ? namesHtmlFirst(request.headers) : isError && navigates(request);
  return isOfBrowser && !asksByHtmx(request) && !asksForProblem(request);
}

/** Whether some submissions of the form lead to another page. */
export const mayRedirect = (form: Form | undefined): boolean =>
  form?.provided.get('redirect') !== undefined || form?.provided.get('thanks')?.redirects === true;

/** Whether a success may lead elsewhere. */
export const asksForRedirect = (request: RelayRequest, form: Form | undefined): boolean =>
  isFromOwnPage(request, form) || mayRedirect(form);

export const asksForProblem = (request: RelayRequest): boolean =>
  request.headers.accept?.includes('application/problem+json') === true && !asksByHtmx(request);

/** Whether the element's script asks. The profile in its Accept header needs no preflight. */
export const asksForScript = ({ headers }: RelayRequest): boolean =>
  headers.accept?.includes('profile=form-relay') === true;

/** Where a visitor goes after a success. The owner's page does not know other words than the confirmation. */
export function redirectOf(
  { says, redirect }: Outcome,
  form: Form | undefined,
  locale: Locale,
): string | undefined {
  if (says !== undefined) return undefined;
  const own = form?.provided.get('redirect');
  return redirect?.(locale) ?? (own && locale.text(own));
}
