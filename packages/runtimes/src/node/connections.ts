import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { publicClient } from '@form-relay/base/client';
import type { Settings } from '@form-relay/core/settings';

/** How often a connection's timeout is extended after an answer: to 90 s, which is beyond `keptSeconds`. */
const mostQuiet = 2;

/**
 * The number of seconds that clients read. Load balancers keep theirs for less, so they never send on a connection that
 * is just being closed.
 */
export const keptSeconds = 65;

/** How long a connection is new. */
const newMs = 100;

export interface Connection {
  readonly socket: Socket;
  /** Whether its first bytes may be there, and only not read yet. */
  isNew: boolean;
  /** The address of its other end. */
  readonly peerAddress: string | undefined;
  /** The client's name; `undefined` for a proxy. */
  readonly client: string | undefined;
  /** The last answer on it; `undefined` before the first request, which browsers, probes and scanners may never send. */
  answer: ServerResponse | undefined;
  /** How many requests came on it. */
  requests: number;
  /** The number of its last request: later input is none. */
  lastRequest: number;
  /** Whether it gets only the answers under way. */
  isEnding: boolean;
  /** How many requests wait for the answers before theirs to be read. */
  pipelined: number;
  /** How often its timeout has passed since its last request. */
  quiet: number;
  /** When it was last used, as a count of the server's connections and requests. */
  usedAt: number;
  /** The body that is being read; `undefined` while none is. */
  reading: { giveUp(): void } | undefined;
  /** Whether a body that has taken as long as any other may still go on; `undefined` where none may. */
  mayGoOn: (() => boolean) | undefined;
  /** Whether it counts for the limits. */
  isCounted: boolean;
}

export type Connections = ReturnType<typeof trackConnections>;

const connectionsOf = new WeakMap<Server, Map<Duplex, Connection>>();

/** Cuts connections that never had a request. `http` itself cuts only those that are idle after an answer. */
export function cutUnused(server: Server): void {
  for (const { socket, answer, isEnding } of connectionsOf.get(server)?.values() ?? []) {
    if (!answer && !isEnding) socket.destroy();
  }
}

/**
 * Counts a server's connections. If there are too many, the one that is needed least makes room for a new one, which is
 * refused if all others wait for their answer. Each request uses these closures: a change of their shape can be measured.
 *
 * @param limitLog Makes a function that logs a limit.
 */
export function trackConnections(
  server: Server,
  { connectionLimit, clientConnectionLimit }: Pick<Settings, 'connectionLimit' | 'clientConnectionLimit'>,
  limitLog: (name: string, limit: number) => () => void,
) {
  // The other half of the files is for outputs, the DNS and the config.
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

  /** Stops counting it for the limits. */
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
    // A busy process may read late: pending input is read before `setImmediate` calls back.
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

  // Node would start a timer with each answer and stop it with each request. The socket's own timer stays, and restarts with
  // any traffic.
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
    /** Notes a request on it. */
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
 * Connections that sent nothing are needed least; then idle ones and those whose request has only begun; then new ones, and
 * those that are slow to send a body or read an answer.
 */
function needOf({ socket, isNew, answer }: Connection): number {
  if (!answer && isNew) return 2;
  if (!answer) return socket.bytesRead === 0 ? 0 : 1;
  if (answer.writableFinished) return 1;
  return answer.req.complete && !answer.writableEnded ? Infinity : 2;
}

/** How many files and connections the process may have open (`ulimit -n`); unlimited outside Linux. */
function openFilesLimit(): number {
  try {
    return Number(
      /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity,
    );
  } catch {
    return Infinity;
  }
}
