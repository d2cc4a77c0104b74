import { type KeyObject, sign } from 'node:crypto';
import { ClientError, type Retry } from '@form-relay/core/base/client_error';
import { isLoopback, parseUrl } from '@form-relay/core/base/url';
import { version } from '@form-relay/core/base/version';
import { parseJson, retryAfter } from '@form-relay/core/outputs/request';
import type { TemplateContext } from '@form-relay/core/schema/template';
import type { HttpAnswer, HttpRequest, Services } from '@form-relay/core/services';
import { jsonObject } from '../json_object.ts';
import { readPrivateKey } from '../private_key.ts';
import { failed } from './failures.ts';

/** Requests a token once. Rejects with a `ClientError`. */
export async function askForToken(
  grant: OAuth2Grant,
  timeoutMs: number,
  { http, now }: Pick<Services, 'http' | 'now'>,
): Promise<Token> {
  const request = tokenRequest(grant, now());
  const answer = await http({ ...request, timeoutMs }).catch((error): HttpAnswer => {
    throw error instanceof ClientError ? unreachable(error) : error;
  });
  return readToken(answer, grant, now());
}

/** The submission itself was not sent, whatever happened to this request. */
export const unreachable = ({ message: reason, code: cause }: Pick<ClientError, 'message' | 'code'>) =>
  failed('oauth2_unreachable', { reason, cause }, { retryAfterMs: 0, isUnsent: true });

type TokenRequest = Omit<HttpRequest, 'timeoutMs'>;

export function tokenRequest(grant: OAuth2Grant, now: number): TokenRequest {
  const { scope, params } = grant;
  switch (grant.kind) {
    case 'client_credentials':
      return requestOf(grant.tokenUrl, { grant_type: grant.kind, scope, ...params }, grant.client);
    case 'refresh_token': {
      const asked = { grant_type: grant.kind, refresh_token: grant.refreshToken, scope, ...params };
      return requestOf(grant.tokenUrl, asked, grant.client);
    }
    case 'jwt_bearer':
    case 'service_account': {
      const { tokenUrl, assertion } = assertionOf(grant, now);
      // Google reads the scope of a service account in its assertion.
      const asked = grant.kind === 'jwt_bearer' ? { assertion, scope } : { assertion };
      return requestOf(tokenUrl, { grant_type: jwtBearer, ...asked, ...params });
    }
  }
}

const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

function requestOf(
  url: URL,
  asked: Readonly<Record<string, string | undefined>>,
  client?: Client,
): TokenRequest {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    if (value !== undefined) body.append(name, value);
  }
  const inHeader = client?.auth === 'basic' && client.secret !== undefined;
  if (client && !inHeader) {
    body.append('client_id', client.id);
    if (client.secret !== undefined) body.append('client_secret', client.secret);
  }
  return {
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      // GitHub answers urlencoded without it.
      accept: 'application/json',
      'user-agent': `form-relay/${version}`,
      ...(inHeader && { authorization: basic(client) }),
    },
    body: body.toString(),
  };
}

/** RFC 6749, 2.3.1: form-encodes both parts first. */
function basic({ id, secret = '' }: Client): string {
  return `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`;
}

/** Microsoft's secrets hold `~`, which stays as it is for servers that do not decode. */
const formEncoded = (text: string) =>
  new URLSearchParams({ text }).toString().slice('text='.length).replaceAll('%7E', '~');

export interface Token {
  readonly value: string;
  /** `undefined` if the server states none, or nonsense. */
  readonly livesMs: number | undefined;
  /** Whether a new refresh token came with it, which the relay cannot keep. */
  readonly isRotated: boolean;
}

/** Reads the token endpoint's answer. Throws a `ClientError` if it holds no token. */
export function readToken(answer: HttpAnswer, grant: OAuth2Grant, now: number): Token {
  const { status, unknownCoding: coding } = answer;
  if (status >= 300 && status < 400) throw failed('oauth2_redirected', { status });
  const object = jsonObject(answer.body);
  const error = errorCode(object?.error);
  // Some refuse with status 200.
  if (status >= 400 || error !== undefined) {
    const retry = retryOf(answer, error, now);
    if (error === undefined) throw failed('oauth2_status', { status }, retry);
    throw failed('oauth2_refused', { error, detail: detailOf(object), kind: grant.kind }, retry);
  }
  if (answer.isCut) throw failed('oauth2_answer_cut', {}, { retryAfterMs: 0, isUnsent: true });
  if (!object && coding !== undefined) throw failed('oauth2_answer_coded', { coding }, { isUnsent: true });
  if (!object) throw failed('oauth2_no_json');
  const { access_token: value, token_type: type, expires_in: expiresIn, refresh_token: next } = object;
  // RFC 6749, 7.1: tokens of unknown types must not be used. Servers that omit the type mean Bearer.
  if (type !== undefined && !(typeof type === 'string' && /^bearer$/i.test(type)))
    throw failed('oauth2_token_type');
  // The token must fit into a header that servers take.
  if (typeof value !== 'string' || !/^[!-~]{1,16384}$/.test(value)) throw failed('oauth2_no_token');
  return {
    value,
    livesMs: lifeOf(expiresIn),
    isRotated: grant.kind === 'refresh_token' && typeof next === 'string' && next !== grant.refreshToken,
  };
}

/** RFC 6749, 5.2. Other text stays out of logs. */
const errorCode = (error: unknown): string | undefined =>
  typeof error === 'string' && /^[a-z]+(_[a-z]+){0,5}$/.test(error) && error.length <= 40 ? error : undefined;

/** Microsoft's own error number, for its manual. */
function detailOf(object: Readonly<Record<string, unknown>> | undefined): string {
  const [code]: readonly unknown[] = Array.isArray(object?.error_codes) ? object.error_codes : [];
  return Number.isInteger(code) && Number(code) > 0 && Number(code) < 1e9 ? `AADSTS${code}` : '';
}

/** A request for a token is safe to repeat. Only permanent errors are not retried. */
function retryOf({ status, headers }: HttpAnswer, error: string | undefined, now: number): Retry {
  const isPassing = status >= 500 || [408, 425, 429].includes(status) || passingErrors.includes(error ?? '');
  if (!isPassing) return { isUnsent: true };
  const retryAfterMs = retryAfter(headers['retry-after'], now);
  // Without a time to wait, a 429 would only be repeated.
  return { retryAfterMs: retryAfterMs ?? (status === 429 ? undefined : 0), isUnsent: true };
}

const passingErrors = ['temporarily_unavailable', 'server_error', 'slow_down'];

/** Some servers write the number as text. Zero or less makes no sense for a new token. */
function lifeOf(expiresIn: unknown): number | undefined {
  const isNumber =
    typeof expiresIn === 'number' || (typeof expiresIn === 'string' && /^\d+(\.\d+)?$/.test(expiresIn));
  const seconds = isNumber ? Number(expiresIn) : 0;
  return seconds > 0 ? seconds * 1_000 : undefined;
}

/** Google's maximum. Other servers allow minutes: Salesforce less than five. */
const googleLifetimeS = 3_600;
const lifetimeS = 180;

/** A signed JWT that proves who asks for a token (RFC 7523, 3), and the address that it is for. */
function assertionOf(grant: OAuth2Grant & (JwtBearer | ServiceAccount), now: number) {
  if (grant.kind === 'jwt_bearer') {
    const { tokenUrl, issuer, subject, audience = tokenUrl.href, keyId } = grant;
    const key = privateKey(grant.privateKey, 'oauth2.private_key');
    const claims = { iss: issuer, sub: subject, aud: audience };
    return { tokenUrl, assertion: signed(key, keyId, claims, now, lifetimeS) };
  }
  const { email, key, keyId, tokenUri } = accountOf(grant.json);
  const claims = { iss: email, sub: grant.subject, scope: grant.scope, aud: tokenUri };
  return { tokenUrl: new URL(tokenUri), assertion: signed(key, keyId, claims, now, googleLifetimeS) };
}

/** @param kid The key's id. */
function signed(key: KeyObject, kid: string | undefined, claims: object, now: number, livesS: number) {
  const iat = Math.floor(now / 1_000);
  const isElliptic = key.asymmetricKeyType === 'ec';
  const header = encoded({ alg: isElliptic ? 'ES256' : 'RS256', typ: 'JWT', kid });
  const content = `${header}.${encoded({ ...claims, iat, exp: iat + livesS })}`;
  const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
  return `${content}.${signature.toString('base64url')}`;
}

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** @param place The key's place in the config, for the owner. */
function privateKey(pem: string, place: string): KeyObject {
  const key = readPrivateKey(pem);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key ?? {};
  const isKnown = type === 'rsa' || (type === 'ec' && details?.namedCurve === 'prime256v1');
  if (!key || !isKnown) throw failed('oauth2_key_malformed', { key: place });
  return key;
}

/** Reads and checks the JSON of a service account. */
function accountOf(json: string) {
  // Some tools turn the key's \n into line breaks, which JSON does not allow in texts.
  const onOneLine = json.replace(/-----BEGIN[^"]+/, (pem) => pem.replaceAll(/\r?\n/g, '\\n'));
  const account = parseJson(onOneLine);
  if (typeof account !== 'object' || account === null) throw failed('oauth2_account_no_json');
  const read: Readonly<Record<string, unknown>> = { ...account };
  const { type, client_email: email, private_key: pem, private_key_id: keyId } = read;
  const { token_uri: tokenUri = 'https://oauth2.googleapis.com/token' } = read;
  const url = typeof tokenUri === 'string' ? parseUrl(tokenUri) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  const isAccount = type === undefined || type === 'service_account';
  if (!isAccount || !isText(email) || !isText(pem) || !isText(tokenUri) || !isSafe)
    throw failed('oauth2_account_malformed');
  const key = privateKey(pem, 'oauth2.service_account.private_key');
  return { email, key, keyId: isText(keyId) ? keyId : undefined, tokenUri };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

export interface OAuth2 {
  /** Renders the grant. Throws a `ClientError` if a credential renders empty. */
  readonly grantOf: (context: TemplateContext) => OAuth2Grant;
}

/** A grant of RFC 6749 as rendered, plain data. It holds no submitted values, so it is the same each time. */
export type OAuth2Grant = (ClientGrant | JwtBearer | ServiceAccount) & {
  readonly scope: string | undefined;
  /** Parameters beyond the standard, such as `audience`. */
  readonly params: Readonly<Record<string, string>>;
};

/** RFC 6749, 4.4 and 6. The server may send a new refresh token, which a stateless relay cannot keep. */
type ClientGrant = { readonly tokenUrl: URL; readonly client: Client } & (
  | { readonly kind: 'client_credentials' }
  | { readonly kind: 'refresh_token'; readonly refreshToken: string }
);

interface JwtBearer {
  readonly kind: 'jwt_bearer';
  readonly tokenUrl: URL;
  readonly issuer: string;
  readonly subject: string | undefined;
  /** Default: the token URL. */
  readonly audience: string | undefined;
  readonly privateKey: string;
  readonly keyId: string | undefined;
}

/** A JWT bearer grant, with all but the scope from the JSON of a Google service account. */
interface ServiceAccount {
  readonly kind: 'service_account';
  readonly json: string;
  readonly subject: string | undefined;
}

export interface Client {
  readonly id: string;
  /** A public client has none. */
  readonly secret: string | undefined;
  /** `basic`: in the `Authorization` header. `post`: in the body. */
  readonly auth: 'basic' | 'post';
}
