import { ClientError, failed } from '../../../client_error.ts';
import type { Effects } from '../../../effects.ts';
import { inTime } from '../../../in_time.ts';
import { askForToken, unreachable } from './ask_for_token.ts';
import type { OAuth2Grant } from './grant.ts';

/** Tokens, kept as long as they live. */
export interface Tokens {
  /** A token that is good by all that is known. Rejects with a `ClientError`. */
  token(grant: OAuth2Grant, timeoutMs: number): Promise<string>;
  /** Somebody refused this token: it is not given again. */
  forget(grant: OAuth2Grant, token: string): void;
}

/** A token is asked for once, however many wait for it. */
export function createTokens({ http, now }: Pick<Effects, 'http' | 'now'>): Tokens {
  /** Those used last stand last. */
  const kept = new Map<string, { readonly value: string; readonly until: number }>();
  const underWay = new Map<string, Promise<string>>();

  const ask = async (grant: OAuth2Grant, key: string, timeoutMs: number) => {
    const { value, livesMs } = await askForToken(grant, timeoutMs, { http, now });
    keep(key, value, now() + usableMs(livesMs));
    return value;
  };
  const keep = (key: string, value: string, until: number) => {
    kept.delete(key);
    kept.set(key, { value, until });
    for (const oldest of kept.keys()) {
      if (kept.size <= mostKept) break;
      kept.delete(oldest);
    }
  };
  return {
    async token(grant, timeoutMs) {
      const key = JSON.stringify(grant);
      const deadline = now() + timeoutMs;
      for (;;) {
        const known = kept.get(key);
        if (known && now() < known.until) {
          keep(key, known.value, known.until);
          return known.value;
        }
        // The clock may be set back meanwhile.
        const leftMs = Math.max(1, Math.min(timeoutMs, deadline - now()));
        const asked = underWay.get(key);
        if (!asked) {
          const asking = ask(grant, key, leftMs).finally(() => underWay.delete(key));
          underWay.set(key, asking);
          return asking;
        }
        const theirs = asked.catch((error) => {
          // Who asked may have had less time.
          if (!isTimeout(error) || now() >= deadline) throw error;
        });
        const value = await inTime(leftMs, theirs, () => {
          throw unreachable(failed('timed_out', { timeoutMs }));
        });
        if (value !== undefined) return value;
      }
    },
    forget(grant, token) {
      const key = JSON.stringify(grant);
      if (kept.get(key)?.value === token) kept.delete(key);
    },
  };
}

/** More than any config needs: a token each. */
const mostKept = 100;

/** Until a minute before its end; of a token that lives less than two minutes, half of its life. At most a day. */
export function usableMs(livesMs = assumedLifeMs): number {
  return Math.min(livesMs - Math.min(earlyMs, livesMs / 2), mostMs);
}

const earlyMs = 60_000;
const mostMs = 86_400_000;

/** Of a token about which the server says nothing. Should it end sooner, a 401 will tell. */
export const assumedLifeMs = 360_000;

const isTimeout = (error: unknown) =>
  error instanceof ClientError && 'cause' in error.params && error.params.cause === 'timed_out';
