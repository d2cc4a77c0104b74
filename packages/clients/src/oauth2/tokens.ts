import type { FailureParams, outputWords } from '@form-relay/base/client_error';
import { ClientError } from '@form-relay/base/client_error';
import type { Services } from '@form-relay/core/services';
import { LatestMap } from '../latest_map.ts';
import { askForToken, type OAuth2Grant } from './token_request.ts';

/** Sends a message with a token, within a time. */
type Send<A> = (token: string, timeoutMs: number) => Promise<A>;

export type WithToken = <A>(grant: OAuth2Grant, timeoutMs: number, send: Send<A>) => Promise<A>;

/**
 * Keeps tokens until they end; deliveries that need a new one at once share a request. A token may be revoked early: a refused one
 * leads to one more try with a new one.
 */
export function createWithToken({ http, now }: Pick<Services, 'http' | 'now'>): WithToken {
  const kept = new LatestMap<{ readonly value: string; readonly until: number }>(mostKept);
  const pending = new Map<string, Promise<string>>();
  const ask = async (grant: OAuth2Grant, key: string, timeoutMs: number) => {
    const { value, livesMs } = await askForToken(grant, timeoutMs, { http, now });
    kept.set(key, { value, until: now() + usableMs(livesMs) });
    return value;
  };
  const tokenFor = (grant: OAuth2Grant, key: string, timeoutMs: number) => {
    const known = kept.get(key);
    if (known && now() < known.until) return known.value;
    const pendingToken = pending.get(key) ?? ask(grant, key, timeoutMs).finally(() => pending.delete(key));
    pending.set(key, pendingToken);
    return pendingToken;
  };
  return async (grant, timeoutMs, send) => {
    const key = JSON.stringify(grant);
    const deadline = now() + timeoutMs;
    // The clock may be set back meanwhile.
    const leftMs = () => Math.max(1, Math.min(timeoutMs, deadline - now()));
    const token = await tokenFor(grant, key, timeoutMs);
    try {
      return await send(token, leftMs());
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      if (kept.get(key)?.value === token) kept.delete(key);
      return send(await tokenFor(grant, key, leftMs()), leftMs());
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
