import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Person } from '../person.ts';
import { type Answer, inWords, type Request } from './answer.ts';

/** The owner of this machine, who has the key that the terminal printed. */
const owner: Person = { name: 'you', forms: undefined, may: () => true };

export interface KeyInAddress {
  readonly key: string;
  readonly person: (request: Request) => Person | Answer;
}

/** Beyond, the browser that signed in first is signed out. */
const mostSessions = 100;

/**
 * The key in the address signs a browser in, as Jupyter's does: it gets a cookie of its own, and the address loses the
 * key at once.
 *
 * @param port Names the cookie, since cookies ignore ports.
 */
export function createKey(port: () => number): KeyInAddress {
  const key = randomBytes(32).toString('base64url');
  const sessions: Buffer[] = [];
  const nameOf = () => `relay_inbox_${port()}`;
  const isSignedIn = (secret: string) => {
    const hash = hashOf(secret);
    return sessions.reduce((found, one) => timingSafeEqual(one, hash) || found, false);
  };
  return {
    key,
    person({ method, path, query, headers }) {
      const given = path === '/' ? new URLSearchParams(query).get('key') : null;
      if (given !== null && (method === 'GET' || method === 'HEAD')) {
        if (!timingSafeEqual(hashOf(given), hashOf(key))) return unknown;
        const secret = randomBytes(32).toString('base64url');
        sessions.push(hashOf(secret));
        if (sessions.length > mostSessions) sessions.shift();
        const cookie = `${nameOf()}=${secret}; Path=/; HttpOnly; SameSite=Strict`;
        return { status: 303, headers: { location: '/', 'set-cookie': cookie }, body: '' };
      }
      return cookiesIn(headers.cookie, nameOf()).some(isSignedIn) ? owner : unknown;
    },
  };
}

const unknown = inWords(
  401,
  'This inbox opens with a key. Use the whole address that relay inbox printed in its terminal: it ends with ?key=…',
);

/** Hashes have one length, which `timingSafeEqual` needs. */
const hashOf = (text: string) => createHash('sha256').update(text).digest();

const cookiesIn = (header = '', name: string): readonly string[] =>
  header
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one.startsWith(`${name}=`))
    .slice(0, 10)
    .map((one) => one.slice(name.length + 1));
