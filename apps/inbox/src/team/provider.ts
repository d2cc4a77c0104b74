import { err, ok, type Result } from '@form-relay/base/result';
import type { RelayRequest } from '@form-relay/core/http/request';
import type { InboxSettings } from '@form-relay/stored/inbox_key';
import type { Configuration, CustomFetch } from 'openid-client';
import type { Answer } from '../gate.ts';
import { type Claims, type Identity, identityOf, notBegun, type Refusal, refusalOf } from './identity.ts';
import { page, redirect, type Ways } from './pages.ts';
import { type cookiesOf, createSealedCookie, pendingMs } from './sessions.ts';

/** Why nobody is signed in. */
export type Failure =
  | 'provider_down'
  | 'secret_missing'
  /** The provider does not know the inbox by this id and secret. */
  | 'client_refused'
  /** The person, or the provider for them, said no. */
  | 'denied'
  /** A code that was used before, is too old, or was never given. */
  | 'code_refused'
  /** State, nonce, audience, authorized party, issuer, signature or time are not right. */
  | 'not_accepted'
  | 'other_domain';

/** A sign-in that a browser has begun. */
export interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

type SignIn = NonNullable<InboxSettings['sign_in']>;

/** The OpenID Connect provider of the team. */
export interface Provider {
  /** The metadata that it publishes. */
  metadata(): Promise<Result<ReturnType<Configuration['serverMetadata']>, Failure>>;
  begin(): Promise<Result<{ readonly address: URL; readonly pending: Pending }, Failure>>;
  /** @param query The provider's answer, as the browser brought it. */
  finish(query: string, pending: Pending): Promise<Result<Identity, Failure>>;
  /** Where the provider signs people out; `undefined` if it does not, or is not known at the moment. */
  endAddress(idToken: string): Promise<URL | undefined>;
}

export interface ProviderEffects {
  now(): number;
  env(name: string): string | undefined;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch | undefined;
}

/** The path that the provider sends people back to. */
export const callbackPath = '/sign-in/back';

const timeoutSeconds = 8;
const refreshMs = 3_600_000;
/** After a failure, requests do not ask again for so long. */
const pauseMs = 5_000;

interface Known {
  readonly key: string;
  readonly config: Configuration;
  readonly until: number;
}

const load = () => import('openid-client');

/** @param given The latest ones. Asked only while they have a provider. */
export function createProvider(given: () => InboxSettings, { now, env, fetch }: ProviderEffects): Provider {
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
          // Without it, an ID token is only vouched for by TLS.
          client.enableNonRepudiationChecks,
          // The schema only accepts http:// for this machine.
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
    async metadata() {
      const config = await configuration();
      return config.ok ? ok(config.value.serverMetadata()) : config;
    },

    async begin() {
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

    async finish(query, { state, nonce, verifier }) {
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
        // OpenID Connect Core 3.1.3.7, 5. The client only checks it if there are several audiences.
        if (token.azp !== undefined && token.azp !== sign_in.client_id) return err('not_accepted');
        // The client checks when it expires, and not that it was issued (3.1.3.7, 10).
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

    async endAddress(idToken) {
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

/** Reads only codes: the words of these errors may quote what was sent. */
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
  readonly provider: Provider;
  readonly cookies: () => ReturnType<typeof cookiesOf>;
  readonly ways: () => Ways;
  readonly host: () => string;
  /** Asked before the provider gets a request. Returns how to leave, or why there is none. */
  readonly admit: (request: RelayRequest) => Promise<(() => void) | Answer>;
  readonly enter: (identity: Identity, request: RelayRequest) => Promise<Answer>;
  readonly failed: (failure: Failure) => void;
}

/** Leads people to the provider, and takes them back. */
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
