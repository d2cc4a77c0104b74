import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { failed } from '../../base/client_error.ts';
import { isLoopback, parseUrl } from '../../base/url.ts';
import type { JwtBearer, ServiceAccount } from './grant.ts';

/** What proves who asks for a token, and where it is asked. */
export interface Assertion {
  readonly tokenUrl: URL;
  readonly jwt: string;
}

/** Google's longest. Others take minutes at most: Salesforce wants less than five. */
const googleLifetimeS = 3_600;
const lifetimeS = 180;

/** Signs what RFC 7523, 3 asks for. */
export function assertionOf(grant: JwtBearer | ServiceAccount, now: number): Assertion {
  if (grant.kind === 'jwt_bearer') {
    const { tokenUrl, issuer, subject, audience = tokenUrl.href, keyId } = grant;
    const key = privateKey(grant.privateKey, 'oauth2.private_key');
    return {
      tokenUrl,
      jwt: signed(key, keyId, { iss: issuer, sub: subject, aud: audience }, now, lifetimeS),
    };
  }
  const { email, key, keyId, tokenUri } = accountOf(grant.json);
  // Google reads the scope of a service account in its assertion.
  const claims = { iss: email, sub: grant.subject, scope: grant.scope, aud: tokenUri };
  return { tokenUrl: new URL(tokenUri), jwt: signed(key, keyId, claims, now, googleLifetimeS) };
}

function signed(
  key: KeyObject,
  kid: string | undefined,
  claims: object,
  now: number,
  livesS: number,
): string {
  const iat = Math.floor(now / 1_000);
  const isElliptic = key.asymmetricKeyType === 'ec';
  const header = encoded({ alg: isElliptic ? 'ES256' : 'RS256', typ: 'JWT', kid });
  const content = `${header}.${encoded({ ...claims, iat, exp: iat + livesS })}`;
  const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
  return `${content}.${signature.toString('base64url')}`;
}

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** @param place Where the key comes from, for the owner. */
function privateKey(pem: string, place: string): KeyObject {
  const key = readKey(pem);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key ?? {};
  const isKnown = type === 'rsa' || (type === 'ec' && details?.namedCurve === 'prime256v1');
  if (!key || !isKnown) throw failed('oauth2_key_malformed', { key: place });
  return key;
}

function readKey(pem: string): KeyObject | undefined {
  try {
    // Some write a variable on one line, with \n for each line break.
    return createPrivateKey(pem.replaceAll('\\n', '\n').trim());
  } catch {
    return undefined;
  }
}

/** What the JSON of a service account says, checked. */
function accountOf(json: string) {
  const account = readAccount(json);
  if (!account) throw failed('oauth2_account_no_json');
  const { type, client_email: email, private_key: pem, private_key_id: keyId } = account;
  const { token_uri: tokenUri = 'https://oauth2.googleapis.com/token' } = account;
  const url = typeof tokenUri === 'string' ? parseUrl(tokenUri) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  const isAccount = type === undefined || type === 'service_account';
  if (!isAccount || !isText(email) || !isText(pem) || !isText(tokenUri) || !isSafe)
    throw failed('oauth2_account_malformed');
  const key = privateKey(pem, 'oauth2.service_account.private_key');
  return { email, key, keyId: isText(keyId) ? keyId : undefined, tokenUri };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function readAccount(json: string): Readonly<Record<string, unknown>> | undefined {
  // What reads variables from files may have made line breaks of the key's \n, and in JSON texts have none.
  const onOneLine = json.replace(/-----BEGIN[^"]+/, (pem) => pem.replaceAll(/\r?\n/g, '\\n'));
  try {
    const account: unknown = JSON.parse(onOneLine);
    return typeof account === 'object' && account !== null ? { ...account } : undefined;
  } catch {
    return undefined;
  }
}
