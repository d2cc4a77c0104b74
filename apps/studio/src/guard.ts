import { isThisMachine, parseUrl } from '@form-relay/base/url';
import { html } from '@form-relay/core/html/html';
import type { RelayRequest, RelayResponse } from '@form-relay/core/index';

/**
 * Why a request must not be answered; `undefined` when it may. Only this machine talks to the studio: a name that
 * resolves to 127.0.0.1 (DNS rebinding) gives itself away by its Host, a page of another site by its Origin. Pages that
 * another server of this machine serves may use the relay's own API, as they will on the day; never the studio's.
 */
export function refusalOf({ path, headers }: Pick<RelayRequest, 'path' | 'headers'>): string | undefined {
  const { host = '', origin } = headers;
  if (!isThisMachine(host)) return 'the studio answers only to localhost and 127.0.0.1';
  if (origin === undefined || origin === `http://${host}`) return undefined;
  // The page to which the link of a mail leads keeps its address to itself, and so its origin. The submission that it
  // sends is sealed.
  if (origin === 'null' && path.startsWith('/api/v1/confirm/')) return undefined;
  return path.startsWith('/api/v1/') && isThisMachine(parseUrl(origin)?.host ?? '')
    ? undefined
    : 'the studio answers only to pages of this machine';
}

/** The relay's own API, which visitors have without a key: pages of other servers of this machine load forms from it. */
export const isForVisitors = (path: string): boolean =>
  path.startsWith('/api/') || path === '/healthz' || path === '/readyz';

/** Whether a page of the studio itself asks: browsers name the origin in each POST, and a page cannot forge it. */
export const isOwnPage = ({ headers }: Pick<RelayRequest, 'headers'>): boolean =>
  headers.origin === `http://${headers.host}`;

/** Outside the studio, forms look like those of a running relay: what their visitors see says whether they deliver. */
export function withNotice(
  answer: RelayResponse,
  request: RelayRequest,
  isDelivering: boolean,
): RelayResponse {
  if (!isOutside(request)) return answer;
  const words = isDelivering
    ? 'Served by the Form Relay studio, which really delivers what is sent (--live).'
    : 'Served by the Form Relay studio, which delivers nothing.';
  const notice = html`<div class="field-note" lang="en" dir="ltr"><strong>${words}</strong></div>\n`;
  const type = answer.headers['content-type'] ?? '';
  if (type.startsWith('text/html'))
    return { ...answer, body: answer.body.replace(shown, (tag) => `${tag}\n${notice}`) };
  if (request.method !== 'POST' || answer.status !== 200 || !type.includes('json')) return answer;
  const said = JSON.parse(answer.body);
  if (said.confirmation === undefined) return answer;
  said.confirmation = `${words} ${said.confirmation}`;
  if (said.confirmation_html) said.confirmation_html = `${notice}${said.confirmation_html}`;
  return { ...answer, body: JSON.stringify(said) };
}

/** Scripts and frames of the studio's own pages ask from its origin. */
const isOutside = ({ path, headers }: RelayRequest): boolean =>
  (isForVisitors(path) || path === '/studio/elsewhere') &&
  ((headers.origin ?? `http://${headers.host}`) !== `http://${headers.host}` ||
    headers['sec-fetch-dest'] === 'document' ||
    /^(?:same|cross)-site$/.test(headers['sec-fetch-site'] ?? ''));

/** Scripts take the form out of a fragment, and leave what stands around it. */
const shown = /<main[^>]*>|<(?:form|div) [^>]*class="form-(?:relay|confirmation)[^>]*>/;
