import type { FailureParams, outputWords } from '@form-relay/core/base/client_error';
import { ClientError } from '@form-relay/core/base/client_error';
import { withTimeout } from '@form-relay/core/base/with_timeout';
import type { Services } from '@form-relay/core/services';
import { LatestMap } from '../latest_map.ts';
import { failed } from './failures.ts';
import { askForToken, type OAuth2Grant, unreachable } from './token_request.ts';

/** Sends a message with a token, within a time. */
type Send<A> = (token: string, timeoutMs: number) => Promise<A>;

export type WithToken = <A>(grant: OAuth2Grant, timeoutMs: number, send: Send<A>) => Promise<A>;

/** A token may be revoked early: a refused one leads to one more try with a new one. */
export function createWithToken(effects: Pick<Services, 'http' | 'now'>): WithToken {
  const { now } = effects;
  const tokens = createTokens(effects);
  return async (grant, timeoutMs, send) => {
    const deadline = now() + timeoutMs;
    const leftMs = () => Math.max(1, Math.min(timeoutMs, deadline - now()));
    const token = await tokens.token(grant, timeoutMs);
    try {
      return await send(token, leftMs());
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      tokens.forget(grant, token);
      return send(await tokens.token(grant, leftMs()), leftMs());
    }
  };
}

function isTokenRefused(error: unknown): boolean {
  if (!(error instanceof ClientError)) return false;
  // A 4xx of a mail server says nothing about the token.
  if (error.code === 'login_refused') return error.retryAfterMs === undefined;
  if (error.code !== 'http_status') return false;
  const { status, isElsewhere } = error.params as FailureParams<typeof outputWords, 'http_status'>;
  // After a redirect elsewhere, the server got no token.
  return status === 401 && !isElsewhere;
}

/** A request for a token, and the number of its waiters. */
interface Asking {
  readonly token: Promise<string>;
  waiting: number;
}

/** A cache of tokens. Simultaneous callers share one request for a token. */
export function createTokens({ http, now }: Pick<Services, 'http' | 'now'>) {
  /** The most recently used come last. */
  const kept = new LatestMap<{ readonly value: string; readonly until: number }>(mostKept);
  const underWay = new Map<string, Asking>();

  const ask = (grant: OAuth2Grant, key: string, timeoutMs: number): Asking => {
    const token = askForToken(grant, timeoutMs, { http, now }).then(({ value, livesMs }) => {
      kept.set(key, { value, until: now() + usableMs(livesMs) });
      return value;
    });
    const asking = { token, waiting: 0 };
    const end = () => leave(key, asking);
    token.then(end, end);
    underWay.set(key, asking);
    return asking;
  };
  const leave = (key: string, asking: Asking) => {
    if (underWay.get(key) === asking) underWay.delete(key);
  };
  return {
    /** Resolves with a token that should be valid. Rejects with a `ClientError`. */
    async token(grant: OAuth2Grant, timeoutMs: number): Promise<string> {
      const key = JSON.stringify(grant);
      const deadline = now() + timeoutMs;
      for (;;) {
        const known = kept.get(key);
        if (known && now() < known.until) {
          kept.set(key, known);
          return known.value;
        }
        // The clock may be set back meanwhile.
        const leftMs = Math.max(1, Math.min(timeoutMs, deadline - now()));
        const others = underWay.get(key);
        // The request serves all waiters, so it gets the whole time even if this caller has little left.
        const asking = others ?? ask(grant, key, timeoutMs);
        const token = asking.token.catch((error) => {
          // The caller that sent the request may have had less time.
          if (!others || !isTimeout(error) || now() >= deadline) throw error;
        });
        asking.waiting += 1;
        const value = await withTimeout(leftMs, token, () => {
          throw unreachable(failed('timed_out', { timeoutMs }));
        }).finally(() => {
          asking.waiting -= 1;
          // A Lambda function frozen after its answer would wake up to a dead connection.
          if (asking.waiting === 0) leave(key, asking);
        });
        if (value !== undefined) return value;
      }
    },
    /** Drops a token that was refused. */
    forget(grant: OAuth2Grant, token: string): void {
      const key = JSON.stringify(grant);
      if (kept.get(key)?.value === token) kept.delete(key);
    },
  };
}

/** More tokens than any config needs. */
const mostKept = 100;

/** How long a token is used: until a minute before its end, or half of a life under two minutes. At most a day. */
export function usableMs(livesMs = assumedLifeMs): number {
  return Math.min(livesMs - Math.min(earlyMs, livesMs / 2), mostMs);
}

const earlyMs = 60_000;
const mostMs = 86_400_000;

/** The assumed life of a token if the server states none. A 401 reveals an earlier end. */
export const assumedLifeMs = 360_000;

const isTimeout = (error: unknown) =>
  error instanceof ClientError && 'cause' in error.params && error.params.cause === 'timed_out';
