import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { RelayRequest } from '@form-relay/relay/base';
import { createNodeServer } from '@form-relay/relay/serve';
import { refusalOf } from './guard.ts';
import type { Studio } from './studio.ts';

/** The studio on `node:http`. The caller listens, on 127.0.0.1 alone. */
export function createStudioServer(studio: Studio): Server {
  const open = new Set<ServerResponse>();
  return createNodeServer(studio.handle, {
    stream: (incoming, outgoing) => {
      const [path, query] = (incoming.url ?? '').split('?');
      if (path !== '/studio/events') return false;
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

/** So many bytes may wait for a page that does not read them. It connects again, and says what it got last. */
const mostUnreadBytes = 1_048_576;

/** Server-sent events (HTML: Server-sent events). A browser that lost the connection says what it got last. */
function stream(
  { listen }: Studio,
  after: string | null,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const headers = incoming.headers as RelayRequest['headers'];
  if (refusalOf({ path: '/studio/events', headers }) !== undefined) {
    outgoing.writeHead(403).end();
    return;
  }
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
  /** The stories so far are written at once, before anything can be read. */
  let most = Number.POSITIVE_INFINITY;
  const stop = listen(Number(headers['last-event-id'] ?? after) || 0, ({ type, id, data }) => {
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
