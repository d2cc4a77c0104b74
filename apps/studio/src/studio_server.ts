import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { html } from '@form-relay/base/html';
import { isThisMachine, parseUrl } from '@form-relay/base/url';
import type { RelayRequest, RelayResponse } from '@form-relay/core/index';
import { createNodeServer } from '@form-relay/runtimes/node/server';
import type { OwnerKey } from '@form-relay/runtimes/owner_key';
import type { RelayHandle } from '@form-relay/runtimes/running_relay';
import { answer } from './answers.ts';
import type { Studio } from './studio.ts';

/** The caller listens, only on 127.0.0.1. Other users of this machine need the key for all but the visitors' API. */
export function createStudioServer(studio: Studio, key: OwnerKey): Server {
  const open = new Set<ServerResponse>();
  const refuse = (request: Omit<RelayRequest, 'body'>): RelayResponse | undefined => {
    const refusal = refusalOf(request);
    if (refusal !== undefined) return answer('text/plain', refusal, {}, 403);
    return isForVisitors(request.path) ? undefined : key.refusal(request);
  };
  const handle = async (...[request, admission]: Parameters<RelayHandle>) =>
    refuse(request) ?? (await studio.handle(request, admission));
  const { admit, uploads } = studio.handle;
  return createNodeServer(Object.assign(handle, { admit, uploads }), {
    stream: (incoming, outgoing) => {
      const [path = '', query = ''] = (incoming.url ?? '').split('?');
      if (path !== '/studio/events') return false;
      const headers = incoming.headers as RelayRequest['headers'];
      const refusal = refuse({ method: incoming.method ?? '', path, query, headers });
      if (refusal) {
        outgoing.writeHead(refusal.status).end();
        return true;
      }
      if (open.size >= mostStreams) {
        outgoing.writeHead(503).end();
        return true;
      }
      open.add(outgoing);
      outgoing.on('close', () => open.delete(outgoing));
      // The server lets clients end their side before the answer; a page that is gone does the same.
      incoming.socket.once('end', () => outgoing.destroy());
      stream(studio, new URLSearchParams(query).get('after'), incoming, outgoing);
      return true;
    },
  });
}

/** A browser opens six at most. */
const mostStreams = 64;

/**
 * The most bytes that may wait for a page that does not read them. The page then reconnects, and says which report it
 * got last.
 */
const mostUnreadBytes = 1_048_576;

/** Server-sent events (HTML: Server-sent events). A browser that lost the connection says what it got last. */
function stream(
  { listen }: Studio,
  after: string | null,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  // For hours nothing may happen.
  incoming.socket.setTimeout(0);
  outgoing.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  });
  // A page that waits for the next start need not wait long.
  outgoing.write('retry: 500\n\n');
  /** The reports so far are written at once, before anything can be read. */
  let most = Number.POSITIVE_INFINITY;
  const stop = listen(Number(incoming.headers['last-event-id'] ?? after) || 0, ({ type, id, data }) => {
    if (outgoing.writableLength > most) {
      outgoing.destroy();
      return;
    }
    outgoing.write(
      `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`,
    );
  });
  most = outgoing.writableLength + mostUnreadBytes;
  outgoing.on('close', stop);
}

/**
 * Why a request must not be answered; `undefined` when it may. Only this machine talks to the studio: a name that
 * resolves to 127.0.0.1 (DNS rebinding) gives itself away by its Host, a page of another site by its Origin. Pages that
 * another server of this machine serves may use the relay's own API, as they will on the day; never the studio's.
 */
export function refusalOf({ path, headers }: Pick<RelayRequest, 'path' | 'headers'>): string | undefined {
  const { host = '', origin } = headers;
  if (!isThisMachine(host)) return 'the studio accepts requests only for localhost and 127.0.0.1';
  if (origin === undefined || origin === `http://${host}`) return undefined;
  // The page to which the link of a mail leads keeps its address to itself, and so its origin. The submission that it
  // sends is sealed.
  if (origin === 'null' && path.startsWith('/api/v1/confirm/')) return undefined;
  return path.startsWith('/api/v1/') && isThisMachine(parseUrl(origin)?.host ?? '')
    ? undefined
    : 'the studio accepts requests only from pages on this machine';
}

/** The relay's own API, which visitors have without a key: pages of other servers of this machine load forms from it. */
export const isForVisitors = (path: string): boolean =>
  /^\/(api|f)\//.test(path) || path === '/healthz' || path === '/readyz';

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
    ? 'Served by the Form Relay studio, which really delivers submissions (--live).'
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
