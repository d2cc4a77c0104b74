import type { Connection } from './connection.ts';
import type { Deadline } from './deadline.ts';

/** As many as a server takes from one client without asking (Exchange: 20, Postfix: 50). More messages wait in line. */
const mostConnections = 20;

/** How long a server that turned a connection away is not asked for so many again. */
const fewerMs = 10_000;

/** Exim ends a connection after so many, unless it is told otherwise. */
const mostMails = 1_000;

/** Servers close idle connections after 5 s and more; a connection that rested shorter can be trusted. */
const trustedRestMs = 4_000;

/** The connections to one server for one username: those in use are counted, those that rest are kept. */
export class Pool {
  readonly #now: () => number;
  readonly #onEmpty: () => void;
  /** The one that rested least comes last, and is taken first. */
  readonly #resting: Rest[] = [];
  /** In the order in which they came. */
  readonly #waiting = new Set<() => void>();
  #inUse = 0;
  /** Fewer after the server turned one away, until then. */
  #most = mostConnections;
  #fewerUntil = 0;

  constructor(now: () => number, onEmpty: () => void) {
    this.#now = now;
    this.#onEmpty = onEmpty;
  }

  /** Resolves when one more connection may be used; then `release` must follow. */
  turn(deadline: Deadline): Promise<void> | undefined {
    if (this.#now() > this.#fewerUntil) this.#most = mostConnections;
    if (this.#inUse < this.#most) {
      this.#inUse += 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.#waiting.add(resolve);
      deadline.onExpire = (reason) => {
        this.#waiting.delete(resolve);
        reject(reason);
      };
    });
  }

  release() {
    const [next] = this.#waiting;
    if (next && this.#inUse <= this.#most) {
      this.#waiting.delete(next);
      next();
    } else {
      this.#inUse -= 1;
      this.#forgetIfEmpty();
    }
  }

  /**
   * The server turned the last connection away: for a while, there will be no more than the others. `false` if there
   * are no others, so that waiting for one would be in vain.
   */
  settleForFewer(): boolean {
    if (this.#inUse === 1) return false;
    this.#most = this.#inUse - 1;
    this.#fewerUntil = this.#now() + fewerMs;
    return true;
  }

  /** A connection that rests and can be trusted, if there is one. */
  take(): Connection | undefined {
    for (let rest = this.#resting.pop(); rest; rest = this.#resting.pop()) {
      clearTimeout(rest.timer);
      if (rest.connection.isClosed) continue;
      // The timer says the same, but not in a function that was frozen.
      if (this.#now() - rest.since <= trustedRestMs) return rest.connection;
      rest.connection.quit();
    }
    return undefined;
  }

  /** Keeps the connection for the next mail. */
  rest(connection: Connection) {
    if (connection.isClosed) return;
    if (connection.mails >= mostMails) return connection.quit();
    const rest: Rest = {
      connection,
      since: this.#now(),
      timer: setTimeout(() => this.#retire(rest), trustedRestMs).unref(),
    };
    this.#resting.push(rest);
  }

  /** Says goodbye to every connection that rests. */
  close() {
    for (const rest of [...this.#resting]) this.#retire(rest);
  }

  #retire(rest: Rest) {
    clearTimeout(rest.timer);
    this.#resting.splice(this.#resting.indexOf(rest), 1);
    rest.connection.quit();
    this.#forgetIfEmpty();
  }

  #forgetIfEmpty() {
    if (this.#inUse === 0 && this.#resting.length === 0) this.#onEmpty();
  }
}

interface Rest {
  readonly connection: Connection;
  readonly since: number;
  readonly timer: NodeJS.Timeout;
}
