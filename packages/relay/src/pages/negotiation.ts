import { asksForPage } from '../api_urls.ts';
import type { RelayRequest } from '../base/http.ts';
import type { Values } from '../base/values.ts';
import { parseQuery } from '../bodies/urlencoded.ts';
import type { Form } from '../form.ts';

/** How the sender of a form wants its answer. `page`: a browser that navigates, without htmx. */
export type Audience = 'json' | 'problem_json' | 'htmx' | 'page';

export function audienceOf(request: RelayRequest, form: Form | undefined): Audience {
  const { headers } = request;
  if (form?.isForServers)
    return headers.accept?.includes('application/problem+json') ? 'problem_json' : 'json';
  if (asksByHtmx(request)) return 'htmx';
  const { accept = '' } = headers;
  if (accept.includes('application/problem+json')) return 'problem_json';
  if (isSentForPage(request, form)) return 'page';
  // Most programs name no text type at all.
  const mayNavigate = form?.redirect !== undefined && accept.includes('text/');
  return mayNavigate && quality(accept, 'text/html') > quality(accept, 'application/json') ? 'page' : 'json';
}

/** Whether a form of the relay's own was sent by its browser, as its address says. */
export const endsOnPage = (request: RelayRequest, form: Form): boolean =>
  isSentForPage(request, form) && audienceOf(request, form) === 'page';

/** People read what a link in a mail, and a redirect after a submission, lead to. */
const isSentForPage = ({ path, query }: RelayRequest, form: Form | undefined): boolean =>
  /^\/api\/v1\/(confirm|sent)\//.test(path) ||
  (query !== '' && asksForPage(form, parseQuery(query) ?? new Map()));

/**
 * Whether a GET is answered with the whole page around a form: a browser says that it navigates, or the query asks for
 * it. For everybody else it is the fragment, whatever they accept (SPEC: GET /api/v1/form/{form}).
 */
export const wantsPage = (request: RelayRequest, form: Form, query: Values): boolean =>
  !asksByHtmx(request) && (request.headers['sec-fetch-mode'] === 'navigate' || asksForPage(form, query));

/** `HX-Request: true`, which counts once however often it was sent: runtimes join equal headers by commas. */
const asksByHtmx = ({ headers: { 'hx-request': asked } }: RelayRequest): boolean =>
  asked === 'true' || (asked !== undefined && /^true(?: *, *true)+$/.test(asked));

/** Whether our own script asks (packages/element/src/element). Such an Accept header needs no preflight. */
export const asksForScript = ({ headers }: RelayRequest): boolean =>
  headers.accept?.includes('profile=form-relay') === true;

/** The id of the element that htmx is going to fill: htmx 2 names it by its id, htmx 4 by tag and id. */
export const htmxTarget = ({ headers }: RelayRequest): string =>
  headers['hx-target']?.replace(/^\w+#/, '') ?? '';

/** How much an Accept header wants a media type: 0 to 1 (RFC 9110, 12.5.1). */
function quality(accept: string, mediaType: string): number {
  const ranges = new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const q = parameters.find((parameter) => parameter.startsWith('q='));
      return [type, q === undefined ? 1 : Number(q.slice(2)) || 0];
    }),
  );
  return ranges.get(mediaType) ?? ranges.get(mediaType.replace(/\/.*/, '/*')) ?? ranges.get('*/*') ?? 0;
}
