import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { withTimeout } from '@form-relay/base/with_timeout';
import { type Connection, type Connections, cutUnused } from './connections.ts';
import type { Collect } from './upload_reader.ts';

/** How long a client may go on sending; a fifth of it if the server ends. */
const longestSeconds = 5;

/** How long it may be silent. */
const silentMs = 2_000;

/** How much it may send: the video of a phone, to a form that takes none. */
const mostBytes = 128 * 1_048_576;

/** How many may go on at the same time: they are beyond CONNECTION_LIMIT. */
const mostLingering = 256;

/**
 * Makes the function that ends a connection after its last byte was written. Closing a socket with unread bytes sends RST,
 * which destroys an answer that is still on its way: a browser reports a reset connection, and a proxy answers 502. So the
 * end comes in stages (RFC 9112, 9.6; nginx's `lingering_close`): the answer, FIN, and then the input is dropped until the
 * client closes. All of it is bounded.
 */
export function createLingering(
  { leave, limit }: Pick<Connections, 'leave' | 'limit'>,
  collect: Collect,
  isServerEnding: () => boolean,
): (connection: Connection) => void {
  /** In the order in which they began. */
  const lingering = new Set<Socket>();
  // If few files may be open, others need them more.
  const most = Math.min(mostLingering, Math.ceil(limit / 4));

  return (connection) => {
    const { socket, answer } = connection;
    if (lingering.has(socket) || socket.destroyed) return;
    connection.isEnding = true;
    leave(connection);
    lingering.add(socket);
    const cut = () => socket.destroy();
    let seconds = 0;
    const clock = setInterval(() => {
      seconds += 1;
      if (seconds === longestSeconds || isServerEnding()) cut();
    }, 1_000);
    socket.once('close', () => {
      clearInterval(clock);
      lingering.delete(socket);
    });
    socket.setTimeout(silentMs, cut);
    let bytes = 0;
    // The input is no request, so the parser gets no more.
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      collect(chunk.length);
      if (bytes > mostBytes) return cut();
      // Otherwise Node would read 2 MB of each at once.
      socket.pause();
      setImmediate(() => socket.resume());
    });
    socket.end();
    // While it waited for the answer, its body was not read.
    answer?.req.resume();
    socket.resume();
    const [longest] = lingering;
    if (lingering.size > most) longest?.destroy();
  };
}

/** How long idle connections are still read, for requests that were on their way when the end began. */
const lastCallMs = 200;

/** How long to accept connections that were already made. */
const acceptMs = 2_000;

/** When servers that end cut their connections. */
const cutsAt = new WeakMap<Server, number>();

/** How long an answer may take before its connection is cut; `undefined` unless the server ends. */
export function timeLeftMs(server: Server): number | undefined {
  const at = cutsAt.get(server);
  return at === undefined ? undefined : at - performance.now();
}

/**
 * Refuses new connections, answers requests that still come on open ones within a moment, waits for answers under way, and
 * cuts connections that are open after `deadlineMs`.
 *
 * @param restMs How long idle connections are still read.
 */
export async function closeServer(
  server: Server,
  deadlineMs: number,
  restMs: number = lastCallMs,
): Promise<void> {
  cutsAt.set(server, performance.now() + deadlineMs);
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await acceptWaiting(server);
  // Not http's `close`, which cuts idle connections at once: unread requests would be lost. Bun's server is none of `net`,
  // and its `close` cuts none.
  const { close }: Pick<NetServer, 'close'> = server instanceof NetServer ? NetServer.prototype : server;
  const closed = new Promise<unknown>((resolve) => close.call(server, resolve));
  await withTimeout(restMs, closed, () => undefined);
  server.closeIdleConnections();
  cutUnused(server);
  await closed;
  clearTimeout(deadline);
}

/** Accepts the connections in the system's queue, which may have requests. Node accepts some in each turn of its event loop. */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const until = performance.now() + acceptMs;
  // This turn may have accepted already.
  await turn();
  for (let before = -1; before < accepted && performance.now() < until; ) {
    before = accepted;
    await turn();
  }
  server.off('connection', count);
}
