import { randomUUID } from 'node:crypto';
import { seal, unseal } from '@form-relay/base/seal';
import type { SessionView } from '../api.ts';
import type { Tables } from '../store/store.ts';
import { hashOf, newSecret } from './accounts.ts';
import type { Identity } from './identity.ts';
import type { Pending } from './provider.ts';

/** `browser` proves that a sign-in link was asked for here. */
type CookieName = 'inbox' | 'sign-in' | 'browser';

/** The cookies of an inbox at this address. */
export function cookiesOf(url: URL) {
  const isSecure = url.protocol === 'https:';
  // Cookies ignore ports, and http:// is for tests on this machine, which may run several.
  const nameOf = (name: string) => (isSecure ? `__Host-${name}` : `${name}-${url.port}`);
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read: (name: CookieName, header = ''): string | undefined => {
      const start = `${nameOf(name)}=`;
      const found = header
        .split(';')
        .map((one) => one.trim())
        .find((one) => one.startsWith(start));
      return found?.slice(start.length);
    },
    write: (name: CookieName, value: string, forMs: number): string =>
      `${nameOf(name)}=${value}; Max-Age=${Math.floor(forMs / 1000)}; ${attributes}`,
    clear: (name: CookieName): string => `${nameOf(name)}=; Max-Age=0; ${attributes}`,
  };
}

/** How long a person may take at the provider. */
export const pendingMs = 600_000;

/** A sign-in that has begun waits sealed in the cookie of its browser, so a flood of them takes no memory. */
export function createSealedCookie(now: () => number) {
  const secret = randomUUID();
  return {
    seal(pending: Pending): string {
      const text = JSON.stringify({ ...pending, until: now() + pendingMs });
      return seal(secret, 'sign-in', '', Buffer.from(text), randomUUID());
    },
    /** `undefined` for anything that this process has not sealed, or that is too old. */
    open(cookie: string): Pending | undefined {
      const text = unseal(secret, 'sign-in', '', cookie);
      const { until, ...pending } = text ? JSON.parse(Buffer.from(text).toString()) : { until: 0 };
      return now() < until ? pending : undefined;
    },
  };
}

/** The sessions of people who are signed in. */
export interface Sessions {
  /** Returns the secret for the cookie, which is stored nowhere. @param userAgent The header of the browser. */
  begin(identity: Identity, userAgent: string | undefined): string;
  /** `undefined` once it has ended. Counts as a use. */
  use(secret: string): Session | undefined;
  /** The same without counting as a use. */
  look(secret: string): Session | undefined;
  end(secret: string): Identity | undefined;
  /** The sessions of one person. @param own The secret of the session that asks. */
  of(isTheirs: (identity: Identity) => boolean, own?: string): readonly SessionView[];
  /** Ends one of a person, or all. Returns how many. */
  endOf(isTheirs: (identity: Identity) => boolean, id?: string): number;
}

export interface Session {
  readonly identity: Identity;
  readonly begunAt: number;
  usedAt: number;
  readonly browser: string;
  /** The last use that the store knows. */
  notedAt: number;
}

interface SessionLimits {
  readonly forMs: number;
  readonly idleMs: number;
}

/** Beyond, the one that was used longest ago ends: of one person, and of all. */
const mostOfPerson = 20;
const mostSessions = 10_000;

/** The store learns of later uses. */
const noteMs = 60_000;

/**
 * Sessions survive a restart in the store; without one, a restart signs everybody out. The token of a provider stays in
 * memory, since it only lets people sign out there, too.
 *
 * @param limits The latest ones, which also hold for sessions that began before.
 */
export function createSessions(
  now: () => number,
  limits: () => SessionLimits,
  tables: Tables | undefined,
): Sessions {
  /** By the hash of their secrets, the latest used last. */
  const sessions = new Map<string, Session>();
  for (const { hash, identity, ...one } of tables?.all<Stored>(
    'SELECT hash, identity, begun_at AS begunAt, used_at AS usedAt, browser FROM people_session ORDER BY used_at',
  ) ?? [])
    sessions.set(hash, { ...one, identity: { ...JSON.parse(identity), idToken: '' }, notedAt: one.usedAt });

  const note = (hash: string, { identity: { idToken: _, ...identity }, begunAt, usedAt, browser }: Session) =>
    tables?.run(
      'INSERT OR REPLACE INTO people_session VALUES (?, ?, ?, ?, ?)',
      ...[hash, JSON.stringify(identity), begunAt, usedAt, browser],
    );
  const drop = (hash: string) => {
    sessions.delete(hash);
    tables?.run('DELETE FROM people_session WHERE hash = ?', hash);
  };

  const look = (hash: string): Session | undefined => {
    const session = sessions.get(hash);
    if (!session) return undefined;
    const { forMs, idleMs } = limits();
    const at = now();
    // Ends it as well if the clock was set back: its age can no longer be determined.
    const isOver =
      at - session.begunAt >= forMs || at - session.usedAt >= idleMs || at < session.begunAt - clockSlackMs;
    if (!isOver) return session;
    drop(hash);
    return undefined;
  };
  const those = (isTheirs: (identity: Identity) => boolean) =>
    [...sessions].filter(([hash, { identity }]) => isTheirs(identity) && look(hash));

  return {
    begin(identity, userAgent) {
      const secret = newSecret();
      const hash = hashOf(secret);
      const all = [...sessions.keys()];
      const own = all.filter((one) => sessions.get(one)?.identity.subject === identity.subject);
      const [last] = own.length >= mostOfPerson ? own : all.length >= mostSessions ? all : [];
      if (last !== undefined) drop(last);
      const at = now();
      const session = { identity, begunAt: at, usedAt: at, browser: browserOf(userAgent), notedAt: at };
      sessions.set(hash, session);
      note(hash, session);
      return secret;
    },
    use(secret) {
      const hash = hashOf(secret);
      const session = look(hash);
      if (!session) return undefined;
      session.usedAt = now();
      sessions.delete(hash);
      sessions.set(hash, session);
      if (Math.abs(session.usedAt - session.notedAt) > noteMs) {
        session.notedAt = session.usedAt;
        try {
          note(hash, session);
        } catch {
          // A full disk signs nobody out.
        }
      }
      return session;
    },
    look: (secret) => look(hashOf(secret)),
    end(secret) {
      const hash = hashOf(secret);
      const session = look(hash);
      if (session) drop(hash);
      return session?.identity;
    },
    of: (isTheirs, own = '') =>
      those(isTheirs)
        .map(([hash, { begunAt, usedAt, browser }]) => ({
          ...{ id: idOf(hash), begunAt, usedAt, browser },
          isThis: hash === hashOf(own),
        }))
        .reverse(),
    endOf(isTheirs, id) {
      const ended = those(isTheirs).filter(([hash]) => id === undefined || idOf(hash) === id);
      for (const [hash] of ended) drop(hash);
      return ended.length;
    },
  };
}

interface Stored extends Pick<Session, 'begunAt' | 'usedAt' | 'browser'> {
  readonly hash: string;
  readonly identity: string;
}

/** Names a session in a list. */
const idOf = (hash: string) => hash.slice(0, 12);

const clockSlackMs = 60_000;

/** The first that matches: most browsers also call themselves by the names of others. */
const browsers = [
  ...[
    ['Edg', 'Edge'],
    ['OPR', 'Opera'],
    ['Firefox', 'Firefox'],
    ['FxiOS', 'Firefox'],
    ['CriOS', 'Chrome'],
  ],
  ...[
    ['Chrome', 'Chrome'],
    ['Safari', 'Safari'],
    ['', 'A browser'],
  ],
] as const;
const systems = [
  ...[
    ['iPhone', 'iPhone'],
    ['iPad', 'iPad'],
    ['Android', 'Android'],
    ['Windows', 'Windows'],
    ['Mac OS', 'macOS'],
  ],
  ...[
    ['CrOS', 'ChromeOS'],
    ['Linux', 'Linux'],
    ['', 'an unknown system'],
  ],
] as const;

/** In words, such as `Firefox on Linux`. */
function browserOf(userAgent = ''): string {
  const named = (names: readonly (readonly string[])[]) =>
    names.find(([sign = '']) => userAgent.includes(sign))?.[1];
  return `${named(browsers)} on ${named(systems)}`;
}
