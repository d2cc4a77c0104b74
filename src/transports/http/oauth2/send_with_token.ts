import { ClientError, type Params } from '../../../client_error.ts';
import type { Effects } from '../../../effects.ts';
import type { OAuth2Grant } from './grant.ts';
import { createTokens } from './tokens.ts';

/** Sends a message with the `Authorization` that it is given, within the time that it is given. */
type Send<A> = (authorization: string, timeoutMs: number) => Promise<A>;

export type SendWithToken = <A>(grant: OAuth2Grant, timeoutMs: number, send: Send<A>) => Promise<A>;

/** A 401 may mean that a token was withdrawn before its time: then there is one more try, with a new one. */
export function createSendWithToken(effects: Pick<Effects, 'http' | 'now'>): SendWithToken {
  const { now } = effects;
  const tokens = createTokens(effects);
  return async (grant, timeoutMs, send) => {
    const deadline = now() + timeoutMs;
    const leftMs = () => Math.max(1, Math.min(timeoutMs, deadline - now()));
    const token = await tokens.token(grant, timeoutMs);
    try {
      return await send(`Bearer ${token}`, leftMs());
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      tokens.forget(grant, token);
      return send(`Bearer ${await tokens.token(grant, leftMs())}`, leftMs());
    }
  };
}

/** Not by a server elsewhere, to which a redirect led: that one got no token. */
function isTokenRefused(error: unknown): boolean {
  if (!(error instanceof ClientError) || error.code !== 'http_status') return false;
  const { status, isElsewhere } = error.params as Params<'http_status'>;
  return status === 401 && !isElsewhere;
}
