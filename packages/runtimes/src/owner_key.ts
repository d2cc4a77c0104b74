import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { RelayRequest, RelayResponse } from '@form-relay/core/http/request';

/** Signs in the owner of this machine, who gets a URL with a key in the terminal. */
export interface OwnerKey {
  readonly key: string;
  /** Another key, which signs in the first browser that uses it within a minute. */
  once(): string;
  /** The response to requests without a session; `undefined` for the owner's requests. */
  refusal(request: Pick<RelayRequest, 'method' | 'path' | 'query' | 'headers'>): RelayResponse | undefined;
}

/** If more browsers sign in, the oldest session ends. */
const mostSessions = 100;

const onceMs = 60_000;

/**
 * The key in the URL signs a browser in, as in Jupyter: the browser gets a cookie, and the key is removed
 * from the URL at once.
 *
 * @param page The page that the key opens: `inbox`.
 * @param port Part of the cookie's name, because cookies ignore ports.
 */
export function createOwnerKey(page: string, port: () => number): OwnerKey {
  const key = randomBytes(32).toString('base64url');
  /** Single-use keys, with their expiry. */
  const single = new Map<string, number>();
  const isKey = (given: string) => {
    const lapses = single.get(given);
    single.delete(given);
    return timingSafeEqual(hashOf(given), hashOf(key)) || (lapses !== undefined && Date.now() < lapses);
  };
  const sessions: Buffer[] = [];
  const nameOf = () => `relay_${page}_${port()}`;
  const isSignedIn = (secret: string) => {
    const hash = hashOf(secret);
    return sessions.reduce((found, one) => timingSafeEqual(one, hash) || found, false);
  };
  const unknown: RelayResponse = {
    status: 401,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    body: `This ${page} needs a key. Use the whole address from the terminal, which ends with ?key=…\n`,
  };
  return {
    key,
    once() {
      const another = randomBytes(32).toString('base64url');
      single.set(another, Date.now() + onceMs);
      return another;
    },
    refusal({ method, path, query, headers }) {
      const given = path === '/' ? new URLSearchParams(query).get('key') : null;
      if (given !== null && (method === 'GET' || method === 'HEAD')) {
        if (!isKey(given)) return unknown;
        const secret = randomBytes(32).toString('base64url');
        sessions.push(hashOf(secret));
        if (sessions.length > mostSessions) sessions.shift();
        const cookie = `${nameOf()}=${secret}; Path=/; HttpOnly; SameSite=Strict`;
        return {
          status: 303,
          headers: { location: '/', 'set-cookie': cookie, 'cache-control': 'no-store' },
          body: '',
        };
      }
      return cookiesIn(headers.cookie, nameOf()).some(isSignedIn) ? undefined : unknown;
    },
  };
}

/** Hashes have equal lengths, as `timingSafeEqual` requires. */
const hashOf = (text: string) => createHash('sha256').update(text).digest();

const cookiesIn = (header = '', name: string): readonly string[] =>
  header
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one.startsWith(`${name}=`))
    .slice(0, 10)
    .map((one) => one.slice(name.length + 1));
