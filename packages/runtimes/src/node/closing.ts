import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { withTimeout } from '@form-relay/base/with_timeout';
import { type Connection, type Connections, cutUnused } from './connections.ts';
import type { Collect } from './upload_reader.ts';

/** How long a client may keep sending; a fifth of that if the server is closing. */
const longestSeconds = 5;

/** How long the client may be silent. */
const silentMs = 2_000;

/** How much the client may send: enough for a phone's video, sent to a form without file fields. */
const mostBytes = 128 * 1_048_576;

/** How many such connections may be open at the same time, in addition to CONNECTION_LIMIT. */
const mostLingering = 256;

/**
 * Makes the function that ends a connection after its last byte was written. Closing a socket with unread
 * input sends RST, which destroys an answer in transit: browsers report a reset connection, and proxies
 * respond with 502. So the connection ends in stages (RFC 9112, 9.6; nginx's `lingering_close`): the answer,
 * FIN, and then the input is discarded until the client closes. Time and bytes are limited.
 */
export function createLingering(
  { leave, limit }: Pick<Connections, 'leave' | 'limit'>,
  collect: Collect,
  isServerEnding: () => boolean,
): (connection: Connection) => void {
  /** In the order in which they began to linger. */
  const lingering = new Set<Socket>();
  // If few files may be open, other connections need them more.
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
    // The input is not a request, so the parser must not see it.
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      collect(chunk.length);
      if (bytes > mostBytes) return cut();
      // Otherwise Node would read 2 MB from each connection at once.
      socket.pause();
      setImmediate(() => socket.resume());
    });
    socket.end();
    // The body was not read while the request waited for its answer.
    answer?.req.resume();
    socket.resume();
    const [longest] = lingering;
    if (lingering.size > most) longest?.destroy();
  };
}

/** How long idle connections are still read, for requests that were in transit when the server began to close. */
const lastCallMs = 200;

/** How long to keep accepting connections that clients have already opened. */
const acceptMs = 2_000;

/** When closing servers cut their connections. */
const cutsAt = new WeakMap<Server, number>();

/** How long an answer may take before its connection is cut; `undefined` unless the server is closing. */
export function timeLeftMs(server: Server): number | undefined {
  const at = cutsAt.get(server);
  return at === undefined ? undefined : at - performance.now();
}

/**
 * Refuses new connections, still answers requests that arrive on open connections within a moment, waits for
 * pending answers, and cuts connections that are still open after `deadlineMs`.
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
  // Not http's `close`, which cuts idle connections at once and so loses unread requests. Bun's server is not
  // a `net.Server`, and its `close` cuts no connection.
  const { close }: Pick<NetServer, 'close'> = server instanceof NetServer ? NetServer.prototype : server;
  const closed = new Promise<unknown>((resolve) => close.call(server, resolve));
  await withTimeout(restMs, closed, () => undefined);
  server.closeIdleConnections();
  cutUnused(server);
  await closed;
  clearTimeout(deadline);
}

/** Accepts the connections in the system's queue, which may have requests. Node accepts several per turn of the event loop. */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const until = performance.now() + acceptMs;
  // This turn may already have accepted connections.
  await turn();
  for (let before = -1; before < accepted && performance.now() < until; ) {
    before = accepted;
    await turn();
  }
  server.off('connection', count);
}
