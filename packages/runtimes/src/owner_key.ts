import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { RelayRequest, RelayResponse } from '@form-relay/core/http/request';

/** Signs in the owner of this machine, for whom the terminal printed an address with a key. */
export interface OwnerKey {
  readonly key: string;
  /** Another key, which signs in the first browser that comes with it within a minute. */
  once(): string;
  /** The answer to requests that come without a session; `undefined` for the owner's. */
  refusal(request: Pick<RelayRequest, 'method' | 'path' | 'query' | 'headers'>): RelayResponse | undefined;
}

/** If more browsers sign in, the one that signed in first is signed out. */
const mostSessions = 100;

const onceMs = 60_000;

/**
 * The key in the address signs a browser in, as Jupyter's does: it gets a cookie of its own, and the address loses the
 * key at once.
 *
 * @param page The page that opens with the key: `inbox`.
 * @param port Names the cookie, since cookies ignore ports.
 */
export function createOwnerKey(page: string, port: () => number): OwnerKey {
  const key = randomBytes(32).toString('base64url');
  /** Keys for a single use, with when they lapse. */
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

/** Hashes have one length, which `timingSafeEqual` needs. */
const hashOf = (text: string) => createHash('sha256').update(text).digest();

const cookiesIn = (header = '', name: string): readonly string[] =>
  header
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one.startsWith(`${name}=`))
    .slice(0, 10)
    .map((one) => one.slice(name.length + 1));
