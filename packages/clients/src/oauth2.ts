import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import {
  ClientError,
  type FailureParams,
  failures,
  type outputWords,
  type Retry,
  retryAfter,
} from '@form-relay/base/client_error';
import { jsonObject, parseJson, valueAt } from '@form-relay/base/json';
import { parseUrl } from '@form-relay/base/url';
import { version } from '@form-relay/base/version';
import type { HttpAnswer, HttpRequest, Services } from '@form-relay/core/services';
import type { TemplateContext } from '@form-relay/schema/template';
import { LatestMap } from './collections.ts';
import { connectionWords } from './failures.ts';

const none = 'no access token: ';

export const oauth2Words = {
  timed_out: connectionWords.timed_out,
  rendered_empty: ({ key }: { key: string }) => `\`${key}\` rendered empty; is its environment variable set?`,
  oauth2_refused: ({ error, detail }: Refused) =>
    `${none}the authorization server answered ${error}${detail && ` (${detail})`}`,
  oauth2_status: ({ status }: { status: number }) => `${none}the authorization server answered ${status}`,
  oauth2_unreachable: ({ reason }: { reason: string; cause: string }) =>
    `${none}the authorization server did not answer: ${reason}`,
  oauth2_redirected: ({ status }: { status: number }) =>
    `${none}the authorization server answered ${status}; \`token_url\` must be the address that it redirects to`,
  oauth2_no_json: `${none}the authorization server did not answer with valid JSON of at most 64 KB; is \`token_url\` its token endpoint?`,
  oauth2_no_token: `${none}the authorization server's response has no valid token`,
  oauth2_account_malformed:
    '`oauth2.service_account` is not the JSON of a service account; put the content of the file into the variable, not its path',
};

export type OAuth2Failure<C extends keyof typeof oauth2Words> = FailureParams<typeof oauth2Words, C>;

const failed = failures(oauth2Words);

interface Refused {
  /** The error code (RFC 6749, 5.2). */
  readonly error: string;
  /** Microsoft's own error number, or empty. */
  readonly detail: string;
  readonly grant: OAuth2Grant['grant'];
}

/** Requests a token once. Rejects with a `ClientError`. */
export async function askForToken(
  grant: OAuth2Grant,
  timeoutMs: number,
  { http, now }: Pick<Services, 'http' | 'now'>,
): Promise<Token> {
  const request = tokenRequest(grant, now());
  const answer = await http({ ...request, timeoutMs }).catch((error): HttpAnswer => {
    if (!(error instanceof ClientError)) throw error;
    // The submission itself was not sent, regardless of the result of this request.
    const { message: reason, code: cause } = error;
    throw failed('oauth2_unreachable', { reason, cause }, { retryAfterMs: 0, isUnsent: true });
  });
  return readToken(answer, grant, now());
}

export function tokenRequest(grant: OAuth2Grant, now: number): Omit<HttpRequest, 'timeoutMs'> {
  if (grant.grant === 'jwt_bearer') {
    const { url, assertion } = assertionOf(grant, now);
    return requestOf(url, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
  }
  const { token_url, client_id, client_secret, client_auth, refresh_token, scope } = grant;
  const params = {
    grant_type: grant.grant,
    ...(refresh_token !== undefined && { refresh_token }),
    ...(scope !== undefined && { scope }),
  };
  if (client_auth === 'post') return requestOf(token_url, { ...params, client_id, client_secret });
  // Both parts are form-encoded first (RFC 6749, 2.3.1).
  const credentials = Buffer.from(`${formEncoded(client_id)}:${formEncoded(client_secret)}`);
  return requestOf(token_url, params, { authorization: `Basic ${credentials.toString('base64')}` });
}

const requestOf = (url: URL, params: Readonly<Record<string, string>>, headers: object = {}) => ({
  url,
  headers: {
    'content-type': 'application/x-www-form-urlencoded',
    // Without this header, GitHub's response is URL-encoded.
    accept: 'application/json',
    'user-agent': `form-relay/${version}`,
    ...headers,
  },
  body: new URLSearchParams(params).toString(),
});

/** Leaves `~` as it is, because Microsoft's secrets contain it and some servers do not decode it. */
const formEncoded = (text: string) =>
  new URLSearchParams({ text }).toString().slice('text='.length).replaceAll('%7E', '~');

export interface Token {
  readonly value: string;
  /** How long the token is valid; `undefined` if the server does not say or sends an invalid number. */
  readonly livesMs: number | undefined;
  /** Whether a new refresh token came with it, which the relay cannot store. */
  readonly isRotated: boolean;
}

/** Reads the response of a token endpoint. Throws a `ClientError` if it contains no token. */
export function readToken(answer: HttpAnswer, { grant, ...rest }: OAuth2Grant, now: number): Token {
  const { status, isCut = false } = answer;
  if (status >= 300 && status < 400) throw failed('oauth2_redirected', { status });
  const object = isCut ? undefined : jsonObject(answer.body);
  const error = errorCode(object?.error);
  // Some servers refuse with status 200.
  if (status >= 400 || error !== undefined) {
    const retry = retryOf(answer, error, now);
    if (error === undefined) throw failed('oauth2_status', { status }, retry);
    throw failed('oauth2_refused', { error, detail: detailOf(object), grant }, retry);
  }
  if (!object) throw failed('oauth2_no_json', {}, isCut ? { retryAfterMs: 0, isUnsent: true } : {});
  const { access_token: value, expires_in: expiresIn, refresh_token: next } = object;
  // The token must fit into a header that servers accept.
  if (typeof value !== 'string' || !/^[!-~]{1,16384}$/.test(value)) throw failed('oauth2_no_token');
  // Some servers send the number as text. Zero or less makes no sense for a new token.
  const seconds = Number(expiresIn);
  return {
    value,
    livesMs: seconds > 0 ? seconds * 1_000 : undefined,
    isRotated: 'refresh_token' in rest && typeof next === 'string' && next !== rest.refresh_token,
  };
}

/** An error code (RFC 6749, 5.2). Any other text is kept out of logs. */
const errorCode = (error: unknown): string | undefined =>
  typeof error === 'string' && /^[a-z]+(_[a-z]+){0,5}$/.test(error) && error.length <= 40 ? error : undefined;

/** Microsoft's own error number, which its documentation explains. */
function detailOf(object: unknown): string {
  const code = valueAt(object, 'error_codes.0');
  return Number.isInteger(code) && Number(code) > 0 && Number(code) < 1e9 ? `AADSTS${code}` : '';
}

/** Token requests are safe to repeat. Only permanent errors are not retried. */
function retryOf({ status, headers }: HttpAnswer, error: string | undefined, now: number): Retry {
  const isPassing = status >= 500 || [408, 425, 429].includes(status) || passingErrors.includes(error ?? '');
  if (!isPassing) return { isUnsent: true };
  const retryAfterMs = retryAfter(headers['retry-after'], now);
  // A 429 without a wait is not retried, because the retry would get a 429 again.
  return { retryAfterMs: retryAfterMs ?? (status === 429 ? undefined : 0), isUnsent: true };
}

const passingErrors = ['temporarily_unavailable', 'server_error', 'slow_down'];

/** A JWT signed with the account's key (RFC 7523, 3), and Google's endpoint for it. Throws a `ClientError` if there is no key. */
function assertionOf({ service_account, subject, scope }: ServiceAccount, now: number) {
  const account = parseJson(service_account);
  const [url, key] = ['token_uri', 'private_key'].map((name) => String(valueAt(account, name)));
  const tokenUrl = parseUrl(url ?? '');
  const privateKey = readPrivateKey(key ?? '');
  if (!tokenUrl || privateKey?.asymmetricKeyType !== 'rsa') throw failed('oauth2_account_malformed');
  const iat = Math.floor(now / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', kid: valueAt(account, 'private_key_id') };
  const iss = valueAt(account, 'client_email');
  const claims = { iss, sub: subject, scope, aud: url, iat, exp: iat + 3_600 };
  const content = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(content), privateKey).toString('base64url');
  return { url: tokenUrl, assertion: `${content}.${signature}` };
}

/** Reads a private key in PEM; `undefined` if the text is not one. */
function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    // A variable on a single line has \n for each line break.
    return createPrivateKey(pem.replaceAll('\\n', '\n').trim());
  } catch {
    return undefined;
  }
}

export interface OAuth2 {
  /** Renders the grant. Throws a `ClientError` if a credential is empty after rendering. */
  readonly grantOf: (context: TemplateContext) => OAuth2Grant;
}

/** A rendered grant, with the config's keys. Holds no submitted values, so it is always the same. */
export type OAuth2Grant = ClientGrant | ServiceAccount;

/** A grant of RFC 6749, 4.4 or 6. The server may return a new refresh token, which a stateless relay cannot store. */
interface ClientGrant {
  readonly grant: 'client_credentials' | 'refresh_token';
  readonly token_url: URL;
  readonly client_id: string;
  readonly client_secret: string;
  /** `basic`: credentials in the `Authorization` header. `post`: in the body. */
  readonly client_auth: 'basic' | 'post';
  readonly refresh_token?: string;
  readonly scope?: string | undefined;
}

/** The JSON of a Google service account, and the user to impersonate. */
interface ServiceAccount {
  readonly grant: 'jwt_bearer';
  readonly service_account: string;
  readonly scope: string;
  readonly subject?: string | undefined;
}

/** Sends a message with a token, within a time limit. */
type Send<A> = (token: string, timeoutMs: number) => Promise<A>;

export type WithToken = <A>(grant: OAuth2Grant, timeoutMs: number, send: Send<A>) => Promise<A>;

/**
 * Caches tokens until they expire; deliveries that need a new token at the same time share a request. A token
 * may be revoked early, so a delivery whose token is refused is tried once more with a new token.
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
    // The clock may be set back in the meantime.
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
  // From a mail server, a temporary failure (4xx) says nothing about the token.
  if (error.code === 'login_refused') return error.retryAfterMs === undefined;
  if (error.code !== 'http_status') return false;
  const { status, isElsewhere } = error.params as FailureParams<typeof outputWords, 'http_status'>;
  // After a redirect to another server, that server did not get the token.
  return status === 401 && !isElsewhere;
}

/** More tokens than any config needs. */
const mostKept = 100;

/**
 * How long a token is used: until a minute before it expires or, if it lives for less than two minutes, half
 * of its life. At most a day.
 */
export function usableMs(livesMs = assumedLifeMs): number {
  return Math.min(livesMs - Math.min(earlyMs, livesMs / 2), mostMs);
}

const earlyMs = 60_000;
const mostMs = 86_400_000;

/** The assumed lifetime if the server does not say. A 401 shows if it was shorter. */
export const assumedLifeMs = 360_000;
