import type { Worker } from 'node:cluster';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server } from 'node:net';
import { inTime } from '../../base/in_time.ts';
import { acceptWaiting } from '../node/closing.ts';

interface Connection {
  close(...given: unknown[]): void;
}

interface Listening extends Connection {
  onconnection(error: unknown, connection?: Connection): void;
}

const listens = 'tracing:net.server.listen:asyncEnd';

/** How long workers may need to take accepted connections. */
const takingMs = 2_000;

/**
 * Watches the sockets on which this process is going to accept connections. node:cluster hides them, and closes them when the
 * last worker stops listening, which cuts connections that were not handed on yet: 20 of 64 in a test. Returns a function
 * that closes the sockets, and resolves when workers have taken all connections made before. If Node doesn't publish its
 * listening sockets, it does nothing.
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
    // No worker is left, and connections that were handed to the last ones would stay open here.
    socket.close = (...given) => {
      sockets.delete(watched);
      stop(...given);
      for (const connection of untaken) connection.close();
    };
  };
  const see = (message: unknown) => {
    const { server } = message as { readonly server: Server };
    const { _handle: socket } = server as { readonly _handle?: Listening | null };
    // Skips servers of this process, such as that of `/metrics`.
    if (Object.getPrototypeOf(server) !== Server.prototype || !socket) return;
    // After node:cluster has set its handler.
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

/** A message of node:cluster with a connection, or its acknowledgement. */
interface ClusterMessage {
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
}

/**
 * Watches the connections that a worker is handed. Returns a function to call when the worker has died: it passes connections
 * that the worker had not taken to another one, or closes them if none is left. node:cluster would wait for an
 * acknowledgement for ever, and so would the client.
 */
export function watchHandover({ process: child }: Worker): (isAnybodyLeft: boolean) => void {
  const untaken = new Map<number, Connection>();
  const send = child.send.bind(child) as (...given: unknown[]) => boolean;
  child.send = (...given: unknown[]) => {
    const [message, handle] = given as [ClusterMessage | undefined, Connection | undefined];
    if (handle && message?.act === 'newconn' && typeof message.seq === 'number')
      untaken.set(message.seq, handle);
    return send(...given);
  };
  child.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (typeof ack === 'number') untaken.delete(ack);
  });
  return (isAnybodyLeft) => {
    for (const [ack, handle] of untaken) {
      // The answer of a worker that doesn't listen any more.
      if (isAnybodyLeft) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
      else handle.close();
    }
    untaken.clear();
  };
}
