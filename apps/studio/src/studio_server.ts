import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { html } from '@form-relay/base/html';
import { isThisMachine, parseUrl } from '@form-relay/base/url';
import type { RelayRequest, RelayResponse } from '@form-relay/core/index';
import { createNodeServer } from '@form-relay/runtimes/node/server';
import type { OwnerKey } from '@form-relay/runtimes/owner_key';
import type { RelayHandle } from '@form-relay/runtimes/running_relay';
import { answer } from './answers.ts';
import type { Studio } from './studio.ts';

/** The caller makes it listen, on 127.0.0.1 only. Other users of this machine need the key for everything but the visitors' API. */
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
      // The server lets clients close their sending side early, and a page that disconnects does the same.
      incoming.socket.once('end', () => outgoing.destroy());
      stream(studio, new URLSearchParams(query).get('after'), incoming, outgoing);
      return true;
    },
  });
}

/** A browser opens at most six. */
const mostStreams = 64;

/**
 * The most bytes buffered for a page that does not read. Beyond that, the page reconnects, and says which
 * report it received last.
 */
const mostUnreadBytes = 1_048_576;

/** Server-sent events. A browser that reconnects says which event it received last. */
function stream(
  { listen }: Studio,
  after: string | null,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  // Nothing may happen for hours.
  incoming.socket.setTimeout(0);
  outgoing.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  });
  // A page that waits for a restart retries soon.
  outgoing.write('retry: 500\n\n');
  /** Existing reports are written at once, before the page can read any. */
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
 * Why a request is refused; `undefined` if it is allowed. Only this machine may talk to the studio: a name that
 * resolves to 127.0.0.1 (DNS rebinding) is detected by its Host, a page of another site by its Origin. Pages from other
 * servers on this machine may use the relay's API, as they will in production, but never the studio's.
 */
export function refusalOf({ path, headers }: Pick<RelayRequest, 'path' | 'headers'>): string | undefined {
  const { host = '', origin } = headers;
  if (!isThisMachine(host)) return 'the studio accepts requests only for localhost and 127.0.0.1';
  if (origin === undefined || origin === `http://${host}`) return undefined;
  // The confirmation page sends no referrer, and therefore `Origin: null`. The submission that it sends is sealed.
  if (origin === 'null' && path.startsWith('/api/v1/confirm/')) return undefined;
  return path.startsWith('/api/v1/') && isThisMachine(parseUrl(origin)?.host ?? '')
    ? undefined
    : 'the studio accepts requests only from pages on this machine';
}

/** The relay's API, which visitors and pages from other servers on this machine use without a key. */
export const isForVisitors = (path: string): boolean =>
  /^\/(api|f)\//.test(path) || path === '/healthz' || path === '/readyz';

/** Whether the studio's own page sent the request: browsers add the origin, and pages cannot forge it. */
export const isOwnPage = ({ headers }: Pick<RelayRequest, 'headers'>): boolean =>
  headers.origin === `http://${headers.host}`;

/** Refuses requests from anywhere but the studio's own page. */
export const refuseOthers = (request: RelayRequest): RelayResponse | undefined =>
  isOwnPage(request) ? undefined : answer('text/plain', "only the studio's own page may do this", {}, 403);

/** Outside the studio, forms look like those of a running relay, so a notice tells visitors whether submissions are delivered. */
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

/** Scripts and frames of the studio's own pages send requests from its origin. */
const isOutside = ({ path, headers }: RelayRequest): boolean =>
  (isForVisitors(path) || path === '/studio/elsewhere') &&
  ((headers.origin ?? `http://${headers.host}`) !== `http://${headers.host}` ||
    headers['sec-fetch-dest'] === 'document' ||
    /^(?:same|cross)-site$/.test(headers['sec-fetch-site'] ?? ''));

/** Scripts extract the form from a fragment, and ignore what is around it. */
const shown = /<main[^>]*>|<(?:form|div) [^>]*class="form-(?:relay|confirmation)[^>]*>/;
