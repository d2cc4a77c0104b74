import { Waiting } from '../collections.ts';
import { failed, isTurnedAway, type SmtpServer } from './reply.ts';
import type { Connection } from './smtp_connection.ts';

/** Servers allow a client this many by default (Exchange 20, Postfix 50). Further mails queue. */
const mostConnections = 20;

/** How long the relay opens fewer connections after the server turned one away. */
const fewerMs = 10_000;

/** Servers close idle connections after 5 s or more, so a connection idle for less can be trusted. */
const trustedRestMs = 4_000;

/** A mail that uses the pool. */
export interface PoolUser {
  /** Whether it waits for the pool no longer. */
  readonly isOver: boolean;
  /** The mail may use a connection now; `release` must follow. */
  begin(): void;
  /** A connection is open for it. */
  opened(connection: Connection): void;
  /** The connection opened for it failed. */
  failed(reason: unknown): void;
}

/** The connections to a server for a login: counts those in use and keeps the idle ones. */
export class Pool {
  /** Idle connections. The most recently used stands last and is taken first. */
  readonly #resting: Connection[] = [];
  readonly #waiting = new Waiting<PoolUser>();
  /** Mails that wait for their new connections to open, in the order in which they came. */
  readonly #opening = new Set<Opening>();
  /** Connections that are still opening after their mails took others, and the timers that give them up. */
  readonly #spares = new Map<Connection, NodeJS.Timeout>();
  /** Including the spares. */
  #inUse = 0;
  /** The limit of connections in use, lower until `#fewerUntil` after the server turned one away. */
  #most = mostConnections;
  #fewerUntil = 0;

  constructor(
    private readonly now: () => number,
    private readonly onEmpty: () => void,
  ) {}

  /** Calls `begin` when the mail may use a connection: at once, or after others. */
  enter(user: PoolUser): void {
    if (this.now() > this.#fewerUntil) this.#most = mostConnections;
    if (this.#inUse < this.#most) {
      this.#inUse += 1;
      user.begin();
    } else {
      this.#waiting.add(user);
    }
  }

  /** Called once a mail that waits is over. */
  left(): void {
    this.#waiting.left();
  }

  release() {
    if (this.#inUse <= this.#most) {
      const next = this.#waiting.next();
      if (next) return next.begin();
    }
    this.#inUse -= 1;
    this.#forgetIfEmpty();
  }

  /**
   * Limits the pool for a while to the other connections, since the server turned the last one away. Returns `false` if
   * there are no others to wait for.
   */
  settleForFewer(): boolean {
    const others = this.#inUse + this.#resting.length - 1;
    if (others === 0) return false;
    this.#most = others;
    this.#fewerUntil = this.now() + fewerMs;
    return true;
  }

  /** An idle connection that can be trusted, if there is one. */
  take(): Connection | undefined {
    for (let rested = this.#resting.pop(); rested; rested = this.#resting.pop()) {
      if (rested.isClosed) continue;
      // The timer does the same, but no timer runs while a Lambda function is frozen.
      if (this.now() - rested.restsSince <= trustedRestMs) return rested;
      rested.quit();
    }
    return undefined;
  }

  /**
   * Opens a new connection. The mail gets it, or one that came free before: a busy server may greet no further ones until
   * it has finished with those.
   *
   * @param needsUnused Whether the mail needs a connection that has sent no mails.
   */
  open(connection: Connection, timeoutMs: number, needsUnused: boolean, user: PoolUser): void {
    const opening: Opening = { connection, timeoutMs, needsUnused, user };
    this.#opening.add(opening);
    connection.open().then(
      () => (this.#opening.delete(opening) ? user.opened(connection) : this.#endSpare(connection)),
      (error) => (this.#opening.delete(opening) ? user.failed(error) : this.#endSpare(connection, error)),
    );
  }

  /** Gives the connection to the mail that has waited longest for its own, or keeps it for the next one. */
  rest(connection: Connection) {
    if (connection.isClosed) return;
    if (connection.isFull) return connection.quit();
    for (const opening of this.#opening) {
      if (opening.needsUnused && connection.mails > 0) continue;
      this.#opening.delete(opening);
      this.#keepSpare(opening);
      return opening.user.opened(connection);
    }
    // The waiting mails cannot use it, and the server may not greet their connections before it is gone.
    if (this.#opening.size > 0) return connection.quit();
    connection.restsSince = this.now();
    // The timer continues while the connection is used and is refreshed: a new one would cost two objects a mail.
    if (connection.restTimer) connection.restTimer.refresh();
    else connection.restTimer = setTimeout(() => this.#retire(connection), trustedRestMs).unref();
    this.#resting.push(connection);
  }

  /** Closes all connections that no mail uses. */
  close() {
    for (const connection of [...this.#resting]) this.#retire(connection);
    for (const spare of this.#spares.keys()) spare.close(failed('client_closed'));
  }

  /** Quits a connection if it is idle. */
  #retire(connection: Connection) {
    if (!remove(connection, this.#resting)) return;
    connection.quit();
    this.#forgetIfEmpty();
  }

  /** A spare counts as in use until it is open or given up. */
  #keepSpare({ connection, timeoutMs }: Opening) {
    this.#inUse += 1;
    const expire = () => connection.close(failed('client_closed'));
    this.#spares.set(connection, setTimeout(expire, timeoutMs).unref());
  }

  /** The spare is open, or could not be opened. */
  #endSpare(connection: Connection, error?: unknown) {
    clearTimeout(this.#spares.get(connection));
    this.#spares.delete(connection);
    if (isTurnedAway(error)) this.settleForFewer();
    this.rest(connection);
    this.release();
  }

  #forgetIfEmpty() {
    if (this.#inUse + this.#resting.length === 0) this.onEmpty();
  }
}

/** Returns `false` if it is not there. */
function remove<T>(one: T, list: T[]): boolean {
  const place = list.indexOf(one);
  if (place >= 0) list.splice(place, 1);
  return place >= 0;
}

interface Opening {
  readonly connection: Connection;
  readonly timeoutMs: number;
  readonly needsUnused: boolean;
  readonly user: PoolUser;
}

/**
 * A pool for each server, TLS rule and login, as long as it has connections. Connections of a replaced token soon become
 * idle and go.
 */
export class Pools {
  readonly #pools = new Map<string, Pool>();

  /** @param now Milliseconds since the epoch. */
  constructor(private readonly now: () => number) {}

  for({ host, port, tls, credentials }: SmtpServer): Pool {
    const key = `${host} ${port} ${tls} ${credentials && JSON.stringify(credentials)}`;
    const pool = this.#pools.get(key) ?? new Pool(this.now, () => this.#pools.delete(key));
    this.#pools.set(key, pool);
    return pool;
  }

  close() {
    for (const pool of this.#pools.values()) pool.close();
  }
}
