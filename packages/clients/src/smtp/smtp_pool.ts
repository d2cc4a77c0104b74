import { Waiting } from '../collections.ts';
import { failed, isTurnedAway, type SmtpServer } from './reply.ts';
import type { Connection } from './smtp_connection.ts';

/** The maximum of connections, which servers allow a client by default (Exchange 20, Postfix 50). Further mails wait. */
const mostConnections = 20;

/** How long the relay opens fewer connections after the server rejected one. */
const fewerMs = 10_000;

/** Servers close idle connections after 5 s or more, so a connection that was idle for less is probably open. */
const trustedRestMs = 4_000;

/** A mail that uses the pool. */
export interface PoolUser {
  /** Whether it no longer waits for the pool. */
  readonly isOver: boolean;
  /** Called when the mail may use a connection; `release` must follow. */
  begin(): void;
  /** Called when a connection is open for the mail. */
  opened(connection: Connection): void;
  /** Called when the connection opened for the mail has failed. */
  failed(reason: unknown): void;
}

/** The connections to one server with one login: counts those in use and keeps idle ones. */
export class Pool {
  /** Idle connections. The most recently used is last, and is taken first. */
  readonly #resting: Connection[] = [];
  readonly #waiting = new Waiting<PoolUser>();
  /** Mails that wait for their own connections to open, in order of arrival. */
  readonly #opening = new Set<Opening>();
  /** Connections that are still opening although their mails took others, with the timers that close them. */
  readonly #spares = new Map<Connection, NodeJS.Timeout>();
  /** The number of connections in use, including spares. */
  #inUse = 0;
  /** The limit of connections in use. The limit is lower until `#fewerUntil` after the server rejected one. */
  #most = mostConnections;
  #fewerUntil = 0;

  constructor(
    private readonly now: () => number,
    private readonly onEmpty: () => void,
  ) {}

  /** Calls `begin` when the mail may use a connection: at once, or after other mails. */
  enter(user: PoolUser): void {
    if (this.now() > this.#fewerUntil) this.#most = mostConnections;
    if (this.#inUse < this.#most) {
      this.#inUse += 1;
      user.begin();
    } else {
      this.#waiting.add(user);
    }
  }

  /** Called when a waiting mail is over. */
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
   * Limits the pool for a while to the other connections, because the server rejected the last one. Returns
   * `false` if there are no others to wait for.
   */
  settleForFewer(): boolean {
    const others = this.#inUse + this.#resting.length - 1;
    if (others === 0) return false;
    this.#most = others;
    this.#fewerUntil = this.now() + fewerMs;
    return true;
  }

  /** An idle connection that is probably still open, if there is one. */
  take(): Connection | undefined {
    for (let rested = this.#resting.pop(); rested; rested = this.#resting.pop()) {
      if (rested.isClosed) continue;
      // The timer checks the same, but no timer runs while a Lambda function is frozen.
      if (this.now() - rested.restsSince <= trustedRestMs) return rested;
      rested.quit();
    }
    return undefined;
  }

  /**
   * Opens a new connection. The mail gets this one or another that becomes free first, because a busy server
   * may not greet new ones until it has finished with the others.
   *
   * @param needsUnused Whether the mail needs a connection that has not sent any mail.
   */
  open(connection: Connection, timeoutMs: number, needsUnused: boolean, user: PoolUser): void {
    const opening: Opening = { connection, timeoutMs, needsUnused, user };
    this.#opening.add(opening);
    connection.open().then(
      () => (this.#opening.delete(opening) ? user.opened(connection) : this.#endSpare(connection)),
      (error) => (this.#opening.delete(opening) ? user.failed(error) : this.#endSpare(connection, error)),
    );
  }

  /** Passes the connection to the mail that has waited longest for its own, or keeps it for the next mail. */
  rest(connection: Connection) {
    if (connection.isClosed) return;
    if (connection.isFull) return connection.quit();
    for (const opening of this.#opening) {
      if (opening.needsUnused && connection.mails > 0) continue;
      this.#opening.delete(opening);
      this.#keepSpare(opening);
      return opening.user.opened(connection);
    }
    // The waiting mails cannot use it, and the server may not greet their connections before it is closed.
    if (this.#opening.size > 0) return connection.quit();
    connection.restsSince = this.now();
    // Keep and refresh the timer while the connection is used, because a new timer would cost two objects per mail.
    if (connection.restTimer) connection.restTimer.refresh();
    else connection.restTimer = setTimeout(() => this.#retire(connection), trustedRestMs).unref();
    this.#resting.push(connection);
  }

  /** Closes all connections that are not in use. */
  close() {
    for (const connection of [...this.#resting]) this.#retire(connection);
    for (const spare of this.#spares.keys()) spare.close(failed('client_closed'));
  }

  /** Closes a connection if it is idle. */
  #retire(connection: Connection) {
    if (!remove(connection, this.#resting)) return;
    connection.quit();
    this.#forgetIfEmpty();
  }

  /** Keeps a spare, which counts as in use until it is open or given up. */
  #keepSpare({ connection, timeoutMs }: Opening) {
    this.#inUse += 1;
    const expire = () => connection.close(failed('client_closed'));
    this.#spares.set(connection, setTimeout(expire, timeoutMs).unref());
  }

  /** Handles a spare that has opened or failed to open. */
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

/** Removes an item; returns `false` if it is not in the list. */
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
 * A pool per server, TLS rule and login, as long as it has connections. Connections with a replaced token
 * soon become idle and are closed.
 */
export class Pools {
  readonly #pools = new Map<string, Pool>();

  /** @param now The current time, in milliseconds since the epoch. */
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
