import type { SmtpServer } from './opening.ts';
import { Pool } from './pool.ts';

/** One pool for each server, TLS rule and login, as long as it has connections. */
export class Pools {
  readonly #now: () => number;
  readonly #pools = new Map<string, Pool>();

  /** @param now Milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  for({ host, port, tls, credentials }: SmtpServer): Pool {
    const server = `${host}\0${port}`;
    const login = credentials && `${credentials.username}\0${credentials.password}`;
    const key = `${server}\0${tls}\0${login}`;
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new Pool(server, this.#now, () => this.#pools.delete(key));
      this.#pools.set(key, pool);
    }
    return pool;
  }

  /** Closes the idle connections to the pool's server, of all logins. If there are any, sets `parting` anew (D48). */
  makeRoom({ server }: Pool) {
    const pools = [...this.#pools.values()].filter((pool) => pool.server === server);
    const dismissed = pools.flatMap((pool) => pool.dismiss());
    if (dismissed.length === 0) return;
    const parting = Promise.all(dismissed.map(({ gone }) => gone));
    for (const pool of pools) pool.parting = parting;
  }

  close() {
    for (const pool of this.#pools.values()) pool.close();
  }
}
