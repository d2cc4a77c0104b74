import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { publicClient } from '@form-relay/base/client';
import type { Settings } from '@form-relay/core/settings';

/** How many times a connection's timeout is extended after an answer: up to 90 s, which is more than `keptSeconds`. */
const mostQuiet = 2;

/**
 * The number of seconds that clients are told. Load balancers close idle connections sooner, so they never
 * send on a connection that the server is just closing.
 */
export const keptSeconds = 65;

/** How long a connection counts as new. */
const newMs = 100;

export interface Connection {
  readonly socket: Socket;
  /** Whether its first bytes may have arrived without being read yet. */
  isNew: boolean;
  /** The remote address. */
  readonly peerAddress: string | undefined;
  /** The client's name; `undefined` for a proxy. */
  readonly client: string | undefined;
  /**
   * The last answer on the connection; `undefined` before the first request, which browsers, probes and
   * scanners may never send.
   */
  answer: ServerResponse | undefined;
  /** The number of requests on the connection. */
  requests: number;
  /** The number of its last request; later input is ignored. */
  lastRequest: number;
  /** Whether only pending answers are still sent on it. */
  isEnding: boolean;
  /** How many requests wait until the client has read the answers before theirs. */
  pipelined: number;
  /** How many times its timeout has expired since its last request. */
  quiet: number;
  /** When it was last used, counted in the server's connections and requests. */
  usedAt: number;
  /** The body that is being read, if any. */
  reading: { giveUp(): void } | undefined;
  /** Whether an upload may continue after the time limit for bodies; `undefined` if the request is not an upload. */
  mayGoOn: (() => boolean) | undefined;
  /** Whether it counts towards the limits. */
  isCounted: boolean;
}

export type Connections = ReturnType<typeof trackConnections>;

const connectionsOf = new WeakMap<Server, Map<Duplex, Connection>>();

/** Cuts connections that never sent a request. `http` itself cuts only those that are idle after an answer. */
export function cutUnused(server: Server): void {
  for (const { socket, answer, isEnding } of connectionsOf.get(server)?.values() ?? []) {
    if (!answer && !isEnding) socket.destroy();
  }
}

/**
 * Counts a server's connections. If there are too many, the least needed one is cut for a new one; if all
 * others wait for their answer, the new one is refused. Each request uses these closures: changing their
 * shape measurably affects speed.
 *
 * @param limitLog Makes a function that logs a limit.
 */
export function trackConnections(
  server: Server,
  { connectionLimit, clientConnectionLimit }: Pick<Settings, 'connectionLimit' | 'clientConnectionLimit'>,
  limitLog: (name: string, limit: number) => () => void,
) {
  // The other half of the file descriptors is for outputs, DNS and the config.
  const limit = Math.min(connectionLimit, Math.floor(openFilesLimit() / 2));
  const logLimit = limitLog('CONNECTION_LIMIT', limit);
  const logClientLimit = limitLog('CLIENT_CONNECTION_LIMIT', clientConnectionLimit);
  const all = new Map<Duplex, Connection>();
  connectionsOf.set(server, all);
  const openOf = new Map<string, number>();
  let open = 0;
  let uses = 0;

  const count = (connection: Connection, by: 1 | -1) => {
    connection.isCounted = by === 1;
    open += by;
    const { client } = connection;
    if (client === undefined) return;
    const ofClient = (openOf.get(client) ?? 0) + by;
    if (ofClient === 0) openOf.delete(client);
    else openOf.set(client, ofClient);
  };

  /** Stops counting the connection towards the limits. */
  const leave = (connection: Connection) => {
    if (connection.isCounted) count(connection, -1);
  };

  const makeRoomFor = (newcomer: Connection, client?: string) => {
    let victim = newcomer;
    let least = Infinity;
    for (const connection of all.values()) {
      if (connection === newcomer || !connection.isCounted) continue;
      if (client !== undefined && connection.client !== client) continue;
      const rank = needOf(connection) * 1e12 + connection.usedAt;
      if (rank < least) {
        victim = connection;
        least = rank;
      }
    }
    count(victim, -1);
    if (victim.reading) victim.reading.giveUp();
    else victim.socket.destroy();
  };

  server.on('connection', (socket) => {
    uses += 1;
    const connection: Connection = {
      socket,
      isNew: true,
      peerAddress: socket.remoteAddress,
      client: publicClient(socket.remoteAddress),
      answer: undefined,
      requests: 0,
      lastRequest: Infinity,
      isEnding: false,
      pipelined: 0,
      quiet: 0,
      usedAt: uses,
      reading: undefined,
      mayGoOn: undefined,
      isCounted: true,
    };
    // A busy process may read late, but pending input is read before `setImmediate` calls back.
    const age = () =>
      setImmediate(() => {
        connection.isNew = false;
      });
    setTimeout(age, newMs).unref();
    all.set(socket, connection);
    count(connection, 1);
    socket.once('close', () => {
      all.delete(socket);
      leave(connection);
    });
    const { client } = connection;
    if (client !== undefined && (openOf.get(client) ?? 0) > clientConnectionLimit) {
      logClientLimit();
      makeRoomFor(connection, client);
    } else if (open > limit) {
      logLimit();
      makeRoomFor(connection);
    }
  });

  // Node would start a timer with each answer and stop it with each request. The socket's own timer keeps
  // running, and restarts with any traffic.
  server.on('timeout', (socket) => {
    const connection = all.get(socket);
    if (connection?.answer?.writableFinished && connection.quiet < mostQuiet) {
      connection.quiet += 1;
      socket.setTimeout(server.timeout);
    } else socket.destroy();
  });

  return {
    open: () => open,
    limit,
    leave,
    get: (socket: Duplex) => all.get(socket),
    /** Records a request on the connection. */
    use: (socket: Duplex, answer: ServerResponse): Connection => {
      const connection = all.get(socket) as Connection;
      uses += 1;
      connection.usedAt = uses;
      connection.quiet = 0;
      connection.requests += 1;
      connection.answer = answer;
      return connection;
    },
  };
}

/**
 * Ranks how much a connection is needed. Lowest are connections that sent nothing; then idle ones and those
 * that have only begun a request; then new ones, and those that are slow to send a body or read an answer.
 */
function needOf({ socket, isNew, answer }: Connection): number {
  if (!answer && isNew) return 2;
  if (!answer) return socket.bytesRead === 0 ? 0 : 1;
  if (answer.writableFinished) return 1;
  return answer.req.complete && !answer.writableEnded ? Infinity : 2;
}

/** How many files and connections the process may open (`ulimit -n`); unlimited outside Linux. */
function openFilesLimit(): number {
  try {
    return Number(
      /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity,
    );
  } catch {
    return Infinity;
  }
}
