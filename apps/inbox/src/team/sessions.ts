import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { seal, unseal } from '@form-relay/base/seal';
import type { Identity } from './identity.ts';
import type { Pending } from './provider.ts';

/** The cookies of an inbox at this address. */
export function cookiesOf(url: URL) {
  const isSecure = url.protocol === 'https:';
  // Cookies ignore ports, and http:// is for tests on this machine, which may run several.
  const nameOf = (name: string) => (isSecure ? `__Host-${name}` : `${name}-${url.port}`);
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read: (name: 'inbox' | 'sign-in', header = ''): string | undefined => {
      const start = `${nameOf(name)}=`;
      const found = header
        .split(';')
        .map((one) => one.trim())
        .find((one) => one.startsWith(start));
      return found?.slice(start.length);
    },
    write: (name: 'inbox' | 'sign-in', value: string, forMs: number): string =>
      `${nameOf(name)}=${value}; Max-Age=${Math.floor(forMs / 1000)}; ${attributes}`,
    clear: (name: 'inbox' | 'sign-in'): string => `${nameOf(name)}=; Max-Age=0; ${attributes}`,
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

/** The sessions of people who are signed in. Kept in memory: a restart signs everybody out. */
interface Sessions {
  /** Returns the secret for the cookie, which is stored nowhere. */
  begin(identity: Identity): string;
  /** `undefined` once it has ended. Counts as a use. */
  use(secret: string): Session | undefined;
  /** The same without counting as a use. */
  look(secret: string): Session | undefined;
  end(secret: string): Identity | undefined;
}

export interface Session {
  readonly identity: Identity;
  readonly begunAt: number;
  usedAt: number;
}

interface SessionLimits {
  readonly forMs: number;
  readonly idleMs: number;
}

/** Beyond, the one that was used longest ago ends: of one person, and of all. */
const mostOfPerson = 20;
const mostSessions = 10_000;

/** @param limits The latest ones, which also hold for sessions that began before. */
export function createSessions(now: () => number, limits: () => SessionLimits): Sessions {
  /** By the hash of their secrets, the latest used last. */
  const sessions = new Map<string, Session>();

  const look = (key: string): Session | undefined => {
    const session = sessions.get(key);
    if (!session) return undefined;
    const { forMs, idleMs } = limits();
    const at = now();
    // Ends it as well if the clock was set back: its age can no longer be determined.
    const isOver =
      at - session.begunAt >= forMs || at - session.usedAt >= idleMs || at < session.begunAt - clockSlackMs;
    if (!isOver) return session;
    sessions.delete(key);
    return undefined;
  };

  return {
    begin(identity) {
      const secret = randomBytes(32).toString('base64url');
      const isOwn = (key: string) => sessions.get(key)?.identity.subject === identity.subject;
      const all = [...sessions.keys()];
      const own = all.filter(isOwn);
      const [last] = own.length >= mostOfPerson ? own : all.length >= mostSessions ? all : [];
      if (last !== undefined) sessions.delete(last);
      sessions.set(keyOf(secret), { identity, begunAt: now(), usedAt: now() });
      return secret;
    },
    use(secret) {
      const key = keyOf(secret);
      const session = look(key);
      if (!session) return undefined;
      session.usedAt = now();
      sessions.delete(key);
      sessions.set(key, session);
      return session;
    },
    look: (secret) => look(keyOf(secret)),
    end(secret) {
      const key = keyOf(secret);
      const session = look(key);
      sessions.delete(key);
      return session?.identity;
    },
  };
}

const clockSlackMs = 60_000;

const keyOf = (secret: string) => createHash('sha256').update(secret).digest('base64');
