import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { RelayRequest, RelayResponse } from '@form-relay/core/index';
import { createNodeServer } from '@form-relay/runtimes/node/server';
import type { OwnerKey } from '@form-relay/runtimes/owner_key';
import type { RelayHandle } from '@form-relay/runtimes/running_relay';
import { answer } from './answers.ts';
import { isForVisitors, refusalOf } from './guard.ts';
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
