import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { inTime } from '../../base/in_time.ts';
import { type Connection, type Connections, cutUnused } from './connections.ts';
import type { Collector } from './upload_reader.ts';

/**
 * Ends connections on which more may come than is read. To close a socket with bytes unread is to send RST, which takes the
 * answer along that is still on its way: a browser says that the connection was reset, and a proxy answers 502. So the end
 * comes in stages (RFC 9112, 9.6; nginx's `lingering_close`): the answer, then FIN, and what still comes is thrown away
 * until the client closes, too. All of it is bounded (D153).
 */

/** How long a client may go on sending; a fifth of it where the server ends. */
const longestSeconds = 5;

/** How long it may say nothing. */
const silentMs = 2_000;

/** How much it may send: the video of a phone, to a form that takes none. */
const mostBytes = 128 * 1_048_576;

/** How many may go on at the same time: they are beyond CONNECTION_LIMIT. */
const mostLingering = 256;

/** Makes what ends a connection to which all is written that it gets. */
export function createLingering(
  { leave, limit }: Pick<Connections, 'leave' | 'limit'>,
  { passed }: Collector,
  isServerEnding: () => boolean,
): (connection: Connection) => void {
  /** The one that has lingered for longest is the first. */
  const lingering = new Set<Socket>();
  // Where few files may be open, others need them more.
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
    // Nothing of it is a request: the parser gets no more.
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      passed(chunk.length);
      if (bytes > mostBytes) return cut();
      // Or Node would read 2 MB of each in one go.
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

/** How long idle connections are still read: requests that were on their way when the end began are answered. */
const lastCallMs = 200;

/** How long it may take to accept the connections that were already made. */
const acceptMs = 2_000;

/**
 * Refuses new connections, answers what still comes on open ones within a moment, lets answers under way go out, and
 * cuts what is open after `deadlineMs`.
 *
 * @param restMs How long connections that rest are still read, where there is no hurry.
 */
export async function closeServer(
  server: Server,
  deadlineMs: number,
  restMs: number = lastCallMs,
): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  await acceptWaiting(() => accepted);
  server.off('connection', count);
  // Not http's `close`, which cuts idle connections at once: requests that are not yet read would be lost. Bun's server is
  // none of `net`, and its `close` cuts none.
  const { close }: Pick<NetServer, 'close'> = server instanceof NetServer ? NetServer.prototype : server;
  const closed = new Promise<unknown>((resolve) => close.call(server, resolve));
  await inTime(restMs, closed, () => undefined);
  server.closeIdleConnections();
  cutUnused(server);
  await closed;
  clearTimeout(deadline);
}

/**
 * Connections wait in the system's queue, with a request perhaps, and Node accepts some in a turn of its event loop.
 *
 * @param accepted How many it has accepted.
 */
export async function acceptWaiting(accepted: () => number): Promise<void> {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const until = performance.now() + acceptMs;
  // The turn that this one is in may have accepted already.
  await turn();
  for (let before = -1; before < accepted() && performance.now() < until; ) {
    before = accepted();
    await turn();
  }
}
