import type { ClientError } from '@form-relay/base/client_error';
import { type LatestMap, Waiting } from '../collections.ts';
import { Connection } from './http_connection.ts';
import type { Exchange } from './http_exchange.ts';
import type { EagerServers } from './protocol.ts';

export interface PoolContext {
  readonly eager: EagerServers;
  /** The latest TLS session of each server, which shortens the next handshake (RFC 8446, 2.2). */
  readonly sessions: LatestMap<Buffer>;
  onEmpty(pool: ConnectionPool): void;
}

/** The connections to one origin, optionally pinned to certain addresses, and the requests waiting for one. */
export class ConnectionPool {
  readonly origin: string;
  readonly #url: URL;
  readonly #connections = new Set<Connection>();
  #opening = 0;
  /** Connections ready for a request, the most recently used last. */
  readonly #free: Connection[] = [];
  /** Connections that got a response in this turn of the event loop. */
  readonly #resting: Connection[] = [];
  #assigned: Exchange[] = [];
  readonly #waiting = new Waiting<Exchange>();
  /** The requests added last, which have no timer yet. */
  #untimed: Exchange[] = [];
  #isServing = false;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(
    url: URL,
    readonly context: PoolContext,
    readonly key: string,
    readonly addresses: readonly string[] | undefined,
  ) {
    this.origin = url.origin;
    // Copied, because the caller could change its URL.
    this.#url = new URL(url.origin);
  }

  take(exchange: Exchange): void {
    this.#assigned.push(exchange);
    this.#serveSoon();
  }

  /** Called when a waiting request is over. */
  left(): void {
    this.#waiting.left();
    this.#leaveIfEmpty();
  }

  opened(connection: Connection): void {
    this.#opening -= 1;
    const exchange = this.#waiting.next();
    if (exchange) connection.send(exchange);
    else this.#rest(connection);
  }

  rested(connection: Connection): void {
    if (this.context.eager.has(this.origin)) return void connection.destroy();
    this.#resting.push(connection);
    this.#serveSoon();
  }

  /** @param error `undefined` if the relay closed the connection. */
  closed(connection: Connection, error: ClientError | undefined): void {
    this.#connections.delete(connection);
    remove(this.#free, connection);
    if (!connection.wasOpened) this.#opening -= 1;
    if (!connection.hasServed && error) this.#openedInVain(error);
    this.#openMissing();
    this.#leaveIfEmpty();
  }

  destroy(): void {
    clearInterval(this.#sweeper);
    for (const connection of this.#connections) connection.destroy();
  }

  /**
   * Writes a request only one whole turn of the event loop after it arrived and after the last response on
   * its connection. So bytes that have already arrived on an idle connection are read first: the end of the
   * connection, or an unsolicited response.
   */
  #serveSoon(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    setImmediate(this.#serve);
  }

  readonly #serve = (): void => {
    this.#isServing = false;
    const waiting = this.#waiting;
    const now = waiting.size > 0 ? performance.now() : 0;
    while (waiting.size > 0) {
      const connection = this.#takeFree(now);
      if (!connection) break;
      connection.send(waiting.next() as Exchange);
    }
    const rested = this.#resting.splice(0);
    for (const connection of rested) this.#rest(connection);
    for (const exchange of this.#untimed) if (exchange.place === this) exchange.waitIn(this);
    const mustGoOn = rested.length > 0 || this.#assigned.length > 0;
    for (const exchange of this.#assigned) {
      if (exchange.isOver) continue;
      exchange.place = this;
      waiting.add(exchange);
    }
    this.#untimed = this.#assigned;
    this.#assigned = [];
    if (waiting.size === 0) return;
    if (mustGoOn) this.#serveSoon();
    this.#openMissing();
  };

  #takeFree(now: number): Connection | undefined {
    for (;;) {
      const connection = this.#free.pop();
      if (!connection) return undefined;
      const isOld = connection.hasServed && this.context.eager.has(this.origin);
      if (!isOld && connection.isFit(now)) return connection;
      connection.destroy();
    }
  }

  #rest(connection: Connection): void {
    this.#free.push(connection);
    this.#sweeper ??= setInterval(this.#sweep, sweepMs).unref();
  }

  /** Closes connections that have been idle for too long. */
  readonly #sweep = (): void => {
    const now = performance.now();
    for (const connection of this.#free.filter((one) => !one.isFit(now))) {
      remove(this.#free, connection);
      connection.destroy();
    }
    if (this.#free.length > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  };

  /** How many connections are free or will be soon. */
  get #coming(): number {
    return this.#opening + this.#free.length + this.#resting.length;
  }

  #openMissing(): void {
    const missing = this.#waiting.size - this.#coming;
    const allowed = mostConnections - this.#connections.size;
    for (let left = Math.min(missing, allowed); left > 0; left -= 1) {
      this.#opening += 1;
      this.#connections.add(new Connection(this.#url, this));
    }
  }

  /** Fails the request that has waited longest, unless enough other connections are free or opening. */
  #openedInVain(error: ClientError): void {
    if (this.#waiting.size > this.#coming) this.#waiting.next()?.fail(error);
  }

  #leaveIfEmpty(): void {
    if (this.#connections.size > 0 || this.#waiting.size > 0 || this.#assigned.length > 0) return;
    clearInterval(this.#sweeper);
    this.context.onEmpty(this);
  }
}

/** The maximum of connections; further requests wait. A hanging server must not use up all file descriptors. */
const mostConnections = 256;

const sweepMs = 500;

function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}
