/** Access tokens of the team's provider, for programs that people let in: JWTs for one address (RFC 9068, RFC 8707). */
import type { InboxSettings } from '@form-relay/stored/inbox_key';
import { identityOf, rightsOf } from './identity.ts';
import { createProvider, type ProviderEffects } from './provider.ts';

/** No shared secrets, which a program could know as well. */
const algorithms = ['EdDSA', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'];
const skewSeconds = 60;

/**
 * Checks tokens of people who may manage the inbox by the config. People who are invited in the inbox are in its store, which only the
 * inbox itself reads.
 *
 * @param settings The latest ones. `undefined`: the config has no inbox any more.
 * @param audience The address for which a token must have been made.
 */
export function createTokenCheck(
  settings: () => InboxSettings | undefined,
  audience: string,
  effects: ProviderEffects,
): (token: string) => Promise<'good' | 'unknown' | 'forbidden' | 'unreachable'> {
  const provider = createProvider(() => settings() as InboxSettings, effects);
  let keys:
    | { readonly at: string; readonly set: ReturnType<typeof import('jose').createRemoteJWKSet> }
    | undefined;
  return async (token) => {
    const { sign_in, people = [] } = settings() ?? {};
    if (!sign_in) return 'unknown';
    const metadata = await provider.metadata();
    if (!metadata.ok) return 'unreachable';
    const { issuer, jwks_uri: at = '' } = metadata.value;
    const { createRemoteJWKSet, jwtVerify } = await import('jose');
    if (keys?.at !== at) keys = { at, set: createRemoteJWKSet(new URL(at)) };
    try {
      const { payload } = await jwtVerify(token, keys.set, {
        ...{
          issuer,
          audience,
          algorithms,
          clockTolerance: skewSeconds,
          currentDate: new Date(effects.now()),
        },
        requiredClaims: ['exp', 'sub'],
      });
      const who = identityOf({ token: payload, more: {}, idToken: '' }, sign_in);
      return who.ok && rightsOf(people, who.value)?.mayManage ? 'good' : 'forbidden';
    } catch (error) {
      const { code = '' } = error as { readonly code?: string };
      // The keys did not come; anything else is about the token.
      return error instanceof TypeError || code === 'ERR_JWKS_TIMEOUT' || code === 'ERR_JOSE_GENERIC'
        ? 'unreachable'
        : 'unknown';
    }
  };
}
