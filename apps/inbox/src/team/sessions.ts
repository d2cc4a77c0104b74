import { randomUUID } from 'node:crypto';
import { seal, unseal } from '@form-relay/base/seal';
import type { InboxSettings } from '@form-relay/stored/inbox_key';
import type { SessionView } from '../api.ts';
import type { Tables } from '../store/store.ts';
import { hashOf, newSecret } from './accounts.ts';
import type { Identity } from './identity.ts';
import type { Pending } from './provider.ts';

/** `browser` proves that this browser asked for the sign-in link. */
type CookieName = 'inbox' | 'sign-in' | 'browser';

export function cookiesOf(url: URL) {
  const isSecure = url.protocol === 'https:';
  // Cookies ignore ports. Tests use http:// on this machine, which may run several inboxes.
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

/** How long a person may spend at the provider. */
export const pendingMs = 600_000;

/** Seals a pending sign-in in its browser's cookie, so that a flood of sign-ins takes no memory. */
export function createSealedCookie(now: () => number) {
  const secret = randomUUID();
  return {
    seal(pending: Pending): string {
      const text = JSON.stringify({ ...pending, until: now() + pendingMs });
      return seal(secret, 'sign-in', '', Buffer.from(text), randomUUID());
    },
    /** Returns `undefined` for a cookie that is too old, or was not sealed by this process. */
    open(cookie: string): Pending | undefined {
      const text = unseal(secret, 'sign-in', '', cookie);
      const { until, ...pending } = text ? JSON.parse(Buffer.from(text).toString()) : { until: 0 };
      return now() < until ? pending : undefined;
    },
  };
}

export type Sessions = ReturnType<typeof createSessions>;

interface Session {
  readonly identity: Identity;
  readonly begunAt: number;
  usedAt: number;
  readonly browser: string;
  /** The last use written to the store. */
  notedAt: number;
}

/** Beyond these limits, the least recently used session ends: per person, and in total. */
const mostOfPerson = 20;
const mostSessions = 10_000;

/** Last use is written to the store at most this often. */
const noteMs = 60_000;

/**
 * Sessions survive a restart if there is a store; otherwise a restart signs everybody out. The provider's
 * token stays in memory, because it only serves to sign out at the provider.
 *
 * @param limits The latest limits, which also apply to existing sessions.
 */
export function createSessions(
  now: () => number,
  limits: () => InboxSettings['sessions'],
  tables: Tables | undefined,
) {
  /** Keyed by the hash of the secret, the most recently used last. */
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
    const { for: forMs, idle: idleMs } = limits();
    const at = now();
    // Also ends the session if the clock was set back, because its age is unknown.
    const isOver =
      at - session.begunAt >= forMs || at - session.usedAt >= idleMs || at < session.begunAt - clockSlackMs;
    if (!isOver) return session;
    drop(hash);
    return undefined;
  };
  const those = (isTheirs: (identity: Identity) => boolean) =>
    [...sessions].filter(([hash, { identity }]) => isTheirs(identity) && look(hash));

  return {
    /** Returns the secret for the cookie, which is not stored. @param userAgent The browser's header. */
    begin(identity: Identity, userAgent: string | undefined): string {
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
    /** Returns `undefined` if the session has ended. Counts as a use. */
    use(secret: string): Session | undefined {
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
          // A full disk must not sign anybody out.
        }
      }
      return session;
    },
    /** Like `use`, without counting as a use. */
    look: (secret: string) => look(hashOf(secret)),
    end(secret: string): Identity | undefined {
      const hash = hashOf(secret);
      const session = look(hash);
      if (session) drop(hash);
      return session?.identity;
    },
    /** The sessions of one person. @param own The secret of the current session. */
    of: (isTheirs: (identity: Identity) => boolean, own = ''): readonly SessionView[] =>
      those(isTheirs)
        .map(([hash, { begunAt, usedAt, browser }]) => ({
          ...{ id: idOf(hash), begunAt, usedAt, browser },
          isThis: hash === hashOf(own),
        }))
        .reverse(),
    /** Ends one or all sessions of a person. Returns how many. */
    endOf(isTheirs: (identity: Identity) => boolean, id?: string): number {
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

const idOf = (hash: string) => hash.slice(0, 12);

const clockSlackMs = 60_000;

/** The first match wins, because most browsers also claim the names of others. */
const browsers = {
  ...{ Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', FxiOS: 'Firefox' },
  ...{ CriOS: 'Chrome', Chrome: 'Chrome', Safari: 'Safari', '': 'A browser' },
};
const systems = {
  ...{ iPhone: 'iPhone', iPad: 'iPad', Android: 'Android', Windows: 'Windows' },
  ...{ 'Mac OS': 'macOS', CrOS: 'ChromeOS', Linux: 'Linux', '': 'an unknown system' },
};

/** Describes the browser, such as `Firefox on Linux`. */
function browserOf(userAgent = ''): string {
  const named = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).find(([sign]) => userAgent.includes(sign))?.[1];
  return `${named(browsers)} on ${named(systems)}`;
}
