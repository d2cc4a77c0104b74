import type { SmtpServer } from './opening.ts';
import { Pool } from './pool.ts';

/** A pool for each server, rule for TLS and login that has connections. */
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

  /** Says goodbye to what rests at the pool's server, for all logins. If anything does, `parting` is anew (D48). */
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
