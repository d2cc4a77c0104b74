import type { Worker } from 'node:cluster';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server } from 'node:net';
import { inTime } from '../../base/in_time.ts';
import { acceptWaiting } from '../node/closing.ts';

/**
 * The socket on which the primary accepts, which node:cluster keeps to itself. It closes it when the last worker stops
 * listening, and cuts whoever was accepted and not handed on, or was about to be: 20 of 64 clients that each open a
 * connection.
 */

interface Connection {
  close(...given: unknown[]): void;
}

interface Listening extends Connection {
  onconnection(error: unknown, connection?: Connection): void;
}

const listens = 'tracing:net.server.listen:asyncEnd';

/** How long workers may take to take what was accepted. */
const takingMs = 2_000;

/**
 * Watches the sockets on which the cluster of this process is going to listen. Gives what closes them: it resolves when every
 * connection that was made before has been taken by a worker. Where Node does not say what listens, it does nothing.
 */
export function watchAccepting(): () => Promise<void> {
  const sockets = new Set<{ readonly stop: () => void; readonly untaken: ReadonlySet<Connection> }>();
  let accepted = 0;
  let seeTaken = () => {};

  const watch = (socket: Listening) => {
    const { onconnection } = socket;
    const stop = socket.close.bind(socket);
    const untaken = new Set<Connection>();
    const watched = { stop, untaken };
    sockets.add(watched);
    socket.onconnection = (error, connection) => {
      accepted += 1;
      if (connection) {
        untaken.add(connection);
        // The cluster closes its copy when a worker has it.
        const { close } = connection;
        connection.close = (...given) => {
          connection.close = close;
          untaken.delete(connection);
          seeTaken();
          connection.close(...given);
        };
      }
      onconnection.call(socket, error, connection);
    };
    // No worker is left, and what the last ones were handed would stay open here, with a client that waits.
    socket.close = (...given) => {
      sockets.delete(watched);
      stop(...given);
      for (const connection of untaken) connection.close();
    };
  };
  const see = (message: unknown) => {
    const { server } = message as { readonly server: Server };
    const { _handle: socket } = server as { readonly _handle?: Listening | null };
    // Not one that answers HTTP, as that of `/metrics`.
    if (Object.getPrototypeOf(server) !== Server.prototype || !socket) return;
    // When the cluster has taken it.
    server.once('listening', () => queueMicrotask(() => watch(socket)));
  };
  subscribe(listens, see);

  return async () => {
    unsubscribe(listens, see);
    await acceptWaiting(() => accepted);
    for (const { stop } of sockets) stop();
    const allTaken = new Promise<void>((resolve) => {
      seeTaken = () => {
        if ([...sockets].every(({ untaken }) => untaken.size === 0)) resolve();
      };
      seeTaken();
    });
    await inTime(takingMs, allTaken, () => undefined);
  };
}

/**
 * Connections that a worker was handed and had not taken when it died. node:cluster waits for ever for its answer, and so
 * would the client: the primary's copy of the connection stays open. They go to another worker instead.
 */

/** What node:cluster sends with a connection, and gets as the answer. Messages of another shape are left alone. */
interface ClusterMessage {
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
}

interface Handle {
  close(): void;
}

/** Watches what a worker is handed. Gives what passes on the rest, once the worker is gone: or ends it, with nobody left. */
export function watchHandover({ process: child }: Worker): (isAnybodyLeft: boolean) => void {
  const untaken = new Map<number, Handle>();
  const send = child.send.bind(child) as (...given: unknown[]) => boolean;
  child.send = (...given: unknown[]) => {
    const [message, handle] = given as [ClusterMessage | undefined, Handle | undefined];
    if (handle && message?.act === 'newconn' && typeof message.seq === 'number')
      untaken.set(message.seq, handle);
    return send(...given);
  };
  child.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (typeof ack === 'number') untaken.delete(ack);
  });
  return (isAnybodyLeft) => {
    for (const [ack, handle] of untaken) {
      // What a worker answers that does not listen any more.
      if (isAnybodyLeft) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
      else handle.close();
    }
    untaken.clear();
  };
}
