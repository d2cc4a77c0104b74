import { ClientError, type Params } from '../../base/client_error.ts';
import type { Effects } from '../../base/effects.ts';
import type { OAuth2Grant } from './grant.ts';
import { createTokens } from './tokens.ts';

/** Sends a message with the token that it is given, within the time that it is given. */
type Send<A> = (token: string, timeoutMs: number) => Promise<A>;

export type WithToken = <A>(grant: OAuth2Grant, timeoutMs: number, send: Send<A>) => Promise<A>;

/** A token may be withdrawn before its time: where it is refused, there is one more try, with a new one. */
export function createWithToken(effects: Pick<Effects, 'http' | 'now'>): WithToken {
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
  // What a mail server refuses for a while (4xx), it may take later.
  if (error.code === 'login_refused') return error.retryAfterMs === undefined;
  if (error.code !== 'http_status') return false;
  const { status, isElsewhere } = error.params as Params<'http_status'>;
  // Not by a server elsewhere, to which a redirect led: that one got no token.
  return status === 401 && !isElsewhere;
}
