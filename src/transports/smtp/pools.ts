import type { SmtpCredentials } from '../../effects.ts';
import type { SmtpServer } from './dialogue.ts';
import { mostConnections, Pool } from './pool.ts';

/**
 * One pool for each server, TLS rule and login, as long as it has connections. Those of a token that was replaced are soon
 * at rest, and then gone.
 */
export class Pools {
  readonly #now: () => number;
  readonly #mostConnections: number;
  readonly #pools = new Map<string, Pool>();

  /**
   * @param now Milliseconds since the epoch.
   * @param processes How many send side by side, to whom a server is one.
   */
  constructor(now: () => number, processes = 1) {
    this.#now = now;
    this.#mostConnections = Math.max(1, Math.floor(mostConnections / processes));
  }

  for({ host, port, tls, credentials }: SmtpServer): Pool {
    const server = `${host}\0${port}`;
    const key = `${server}\0${tls}\0${loginKey(credentials)}`;
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new Pool(server, this.#now, this.#mostConnections, () => this.#pools.delete(key));
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

function loginKey(credentials: SmtpCredentials | undefined): string {
  if (credentials === undefined) return '';
  const { username } = credentials;
  if ('token' in credentials) return `token\0${username}\0${credentials.token}`;
  return `${credentials.mechanism ?? 'PLAIN'}\0${username}\0${credentials.password}`;
}
