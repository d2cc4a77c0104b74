import type { SmtpCredentials } from '../../base/effects.ts';
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
  /** Asked for last. */
  #last: { readonly server: PooledServer; readonly pool: Pool } | undefined;

  /**
   * @param now Milliseconds since the epoch.
   * @param processes How many send side by side, to whom a server is one.
   */
  constructor(now: () => number, processes = 1) {
    this.#now = now;
    this.#mostConnections = Math.max(1, Math.floor(mostConnections / processes));
  }

  for(server: PooledServer): Pool {
    // Most mails go where the one before went, and a key takes longer than a look.
    if (this.#last && isSame(this.#last.server, server)) return this.#last.pool;
    const { host, port, tls, credentials } = server;
    const place = `${host}\0${port}`;
    const key = `${place}\0${tls}\0${loginKey(credentials)}`;
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new Pool(place, this.#now, this.#mostConnections, () => this.#forget(key));
      this.#pools.set(key, pool);
    }
    this.#last = { server: { host, port, tls, credentials }, pool };
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

  #forget(key: string) {
    this.#pools.delete(key);
    this.#last = undefined;
  }

  close() {
    for (const pool of this.#pools.values()) pool.close();
  }
}

type PooledServer = Omit<SmtpServer, 'timeoutMs'>;

const isSame = (one: PooledServer, other: PooledServer): boolean =>
  one.host === other.host &&
  one.port === other.port &&
  one.tls === other.tls &&
  (one.credentials === other.credentials || loginKey(one.credentials) === loginKey(other.credentials));

function loginKey(credentials: SmtpCredentials | undefined): string {
  if (credentials === undefined) return '';
  const { username } = credentials;
  if ('token' in credentials) return `token\0${username}\0${credentials.token}`;
  return `${credentials.mechanism ?? 'PLAIN'}\0${username}\0${credentials.password}`;
}
