import { createHash, randomBytes } from 'node:crypto';
import type { Identity } from './identity.ts';

/** The sessions of people who are signed in. Kept in memory: a restart signs everybody out. */
export interface Sessions {
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

export interface SessionLimits {
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
