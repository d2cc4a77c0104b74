import { err, ok, type Result } from '@form-relay/base/result';
import type { RelayRequest } from '@form-relay/core/http/request';
import type { InboxSettings } from '@form-relay/stored/inbox_key';
import type { Configuration, CustomFetch } from 'openid-client';
import type { Answer } from '../gate.ts';
import {
  type Claims,
  type Identity,
  identityOf,
  notBegun,
  type Refusal,
  refusalOf,
  rightsOf,
} from './identity.ts';
import { page, redirect, type Ways } from './pages.ts';
import { type cookiesOf, createSealedCookie, pendingMs } from './sessions.ts';

export type Failure =
  | 'provider_down'
  | 'secret_missing'
  /** The provider does not accept the inbox's client id and secret. */
  | 'client_refused'
  /** The person declined, or the provider did. */
  | 'denied'
  /** A code that was already used, has expired, or was never issued. */
  | 'code_refused'
  /** State, nonce, audience, authorized party, issuer, signature or time is invalid. */
  | 'not_accepted'
  | 'other_domain';

export interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

type SignIn = NonNullable<InboxSettings['sign_in']>;

export interface ProviderEffects {
  now(): number;
  env(name: string): string | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** The path of the redirect URI. */
export const callbackPath = '/sign-in/back';

const timeoutSeconds = 8;
const refreshMs = 3_600_000;
/** After a failure, the provider is not contacted again for this long. */
const pauseMs = 5_000;

interface Known {
  readonly key: string;
  readonly config: Configuration;
  readonly until: number;
}

const load = () => import('openid-client');

/** The team's OpenID Connect provider. @param given The latest settings, if they name a provider. */
export function createProvider(given: () => InboxSettings, { now, env, fetch }: ProviderEffects) {
  const settings = () => given() as InboxSettings & { readonly sign_in: SignIn };
  let known: Known | undefined;
  let asking: { readonly key: string; readonly done: Promise<Result<Known, Failure>> } | undefined;
  let failed: { readonly key: string; readonly at: number } | undefined;

  const keyOf = ({ issuer, client_id }: SignIn, secret: string) =>
    JSON.stringify([issuer.href, client_id, secret]);

  const ask = async (key: string, secret: string): Promise<Result<Known, Failure>> => {
    const { issuer, client_id } = settings().sign_in;
    const client = await load();
    try {
      const config = await client.discovery(issuer, client_id, secret, undefined, {
        timeout: timeoutSeconds,
        execute: [
          // Verifies the ID token's signature too, instead of trusting TLS alone.
          client.enableNonRepudiationChecks,
          // The schema accepts http:// only for this machine.
          ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
        ],
        ...(fetch && { [client.customFetch]: fetch as CustomFetch }),
      });
      known = { key, config, until: now() + refreshMs };
      return ok(known);
    } catch {
      failed = { key, at: now() };
      return err('provider_down');
    }
  };

  const configuration = async (): Promise<Result<Configuration, Failure>> => {
    const { sign_in } = settings();
    const secret = env(sign_in.client_secret_env);
    if (!secret) return err('secret_missing');
    const key = keyOf(sign_in, secret);
    const last = known?.key === key ? known : undefined;
    if (last && now() < last.until) return ok(last.config);
    const isPaused = failed?.key === key && Math.abs(now() - failed.at) < pauseMs;
    if (isPaused) return last ? ok(last.config) : err('provider_down');
    if (asking?.key !== key) {
      const done = ask(key, secret).finally(() => {
        if (asking?.done === done) asking = undefined;
      });
      asking = { key, done };
    }
    const found = await asking.done;
    if (found.ok) return ok(found.value.config);
    return last ? ok(last.config) : found;
  };

  const callback = () => new URL(callbackPath, settings().url);

  return {
    /** The provider's published metadata. */
    async metadata(): Promise<Result<ReturnType<Configuration['serverMetadata']>, Failure>> {
      const config = await configuration();
      return config.ok ? ok(config.value.serverMetadata()) : config;
    },

    async begin(): Promise<Result<{ readonly address: URL; readonly pending: Pending }, Failure>> {
      const config = await configuration();
      if (!config.ok) return config;
      const client = await load();
      const { scope, hosted_domain } = settings().sign_in;
      const pending = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const address = client.buildAuthorizationUrl(config.value, {
        redirect_uri: callback().href,
        scope,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
        ...(hosted_domain !== undefined && { hd: hosted_domain }),
      });
      return ok({ address, pending });
    },

    /** @param query The provider's answer in the redirect. */
    async finish(query: string, { state, nonce, verifier }: Pending): Promise<Result<Identity, Failure>> {
      const config = await configuration();
      if (!config.ok) return config;
      const client = await load();
      const current = callback();
      current.search = query;
      try {
        const tokens = await client.authorizationCodeGrant(config.value, current, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const token = (tokens.claims() ?? {}) as Claims;
        const { sign_in } = settings();
        // OpenID Connect Core 3.1.3.7, 5. The client checks this only if there are several audiences.
        if (token.azp !== undefined && token.azp !== sign_in.client_id) return err('not_accepted');
        // The client checks when the token expires, but not when it was issued (3.1.3.7, 10).
        if (Number(token.iat) * 1_000 > now() + mostAheadMs) return err('not_accepted');
        const isComplete = token.email !== undefined && Object.hasOwn(token, sign_in.groups_claim);
        const hasMore = config.value.serverMetadata().userinfo_endpoint !== undefined;
        const more =
          isComplete || !hasMore
            ? {}
            : await client.fetchUserInfo(config.value, tokens.access_token, String(token.sub));
        return identityOf({ token, more, idToken: tokens.id_token ?? '' }, sign_in);
      } catch (error) {
        return err(failureOf(error));
      }
    },

    /** The provider's sign-out URL; `undefined` if it has none, or its metadata is not loaded. */
    async endAddress(idToken: string): Promise<URL | undefined> {
      // Signing out must not wait for a provider that is down.
      const config = known?.config;
      if (!config?.serverMetadata().end_session_endpoint) return undefined;
      return (await load()).buildEndSessionUrl(config, {
        id_token_hint: idToken,
        post_logout_redirect_uri: new URL('/', settings().url).href,
      });
    },
  };
}

/** How far the provider's clock may be ahead. */
const mostAheadMs = 300_000;

/** Uses only error codes, because error messages may quote what was sent. */
function failureOf(error: unknown): Failure {
  const { code, error: said, status } = error as { code?: string; error?: string; status?: number };
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') return 'denied';
  if (said === 'invalid_client' || said === 'unauthorized_client') return 'client_refused';
  if (said === 'invalid_grant') return 'code_refused';
  if (code !== undefined && unreached.includes(code)) return 'provider_down';
  if (error instanceof TypeError && code === undefined) return 'provider_down';
  return status !== undefined && status >= 500 ? 'provider_down' : 'not_accepted';
}

const unreached = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
];

export interface ProviderSignInContext extends Pick<ProviderEffects, 'now'> {
  readonly provider: ReturnType<typeof createProvider>;
  readonly cookies: () => ReturnType<typeof cookiesOf>;
  readonly ways: () => Ways;
  readonly host: () => string;
  /** Called before contacting the provider. Returns a function that releases the slot, or a refusal. */
  readonly admit: (request: RelayRequest) => Promise<(() => void) | Answer>;
  readonly enter: (identity: Identity, request: RelayRequest) => Promise<Answer>;
  readonly failed: (failure: Failure) => void;
}

/** Redirects people to the provider, and handles their return. */
export function createProviderSignIn(context: ProviderSignInContext) {
  const { provider, now, cookies, ways, host, admit, enter, failed } = context;
  const sealed = createSealedCookie(now);
  return {
    async begin(): Promise<Answer> {
      const begun = await provider.begin();
      if (!begun.ok) {
        failed(begun.error);
        return page(refusalOf(begun.error, host()), ways());
      }
      const { address, pending } = begun.value;
      return redirect(address.href, [cookies().write('sign-in', sealed.seal(pending), pendingMs)]);
    },
    async finish(request: RelayRequest): Promise<Answer> {
      const answer = (refusal: Refusal) => page(refusal, ways(), [cookies().clear('sign-in')]);
      const pending = sealed.open(cookies().read('sign-in', request.headers.cookie) ?? '');
      if (!pending || new URLSearchParams(request.query).get('state') !== pending.state) {
        return answer(notBegun);
      }
      const leave = await admit(request);
      if (typeof leave !== 'function') return leave;
      const found = await provider.finish(request.query, pending).finally(leave);
      if (found.ok) return enter(found.value, request);
      failed(found.error);
      return answer(refusalOf(found.error, host()));
    },
  };
}

/** Excludes algorithms with shared secrets, which a program could also know. */
const algorithms = ['EdDSA', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'];
const skewSeconds = 60;

/**
 * Checks access tokens of the provider that programs send: JWTs for one audience (RFC 9068, RFC 8707), of
 * people whom the config allows to manage the inbox. People invited in the inbox are in its store, which only
 * the inbox itself reads.
 *
 * @param settings The latest settings. `undefined` if the config no longer has an inbox.
 * @param audience The audience that a token must name.
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
      // The keys could not be loaded; any other error is about the token.
      return error instanceof TypeError || code === 'ERR_JWKS_TIMEOUT' || code === 'ERR_JOSE_GENERIC'
        ? 'unreachable'
        : 'unknown';
    }
  };
}
