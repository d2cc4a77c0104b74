import { generateKeyPairSync } from 'node:crypto';
import { importSPKI, jwtVerify } from 'jose';
import { type HttpSink, type SinkAnswer, type SunkRequest, startHttpSink } from './http_sink.ts';

export const clientId = 'relay:forms & co';
export const clientSecret = 's e/c+r~%:ü';
export const refreshToken = '1//refresh-T0KEN';

export const rsa = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
export const p256 = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** As Google's file has it. */
export const serviceAccount = (tokenUri: string, more: object = {}): string =>
  JSON.stringify(
    {
      type: 'service_account',
      project_id: 'forms-123',
      private_key_id: 'key-1',
      private_key: rsa.privateKey,
      client_email: 'relay@forms-123.iam.gserviceaccount.com',
      client_id: '1234567890',
      token_uri: tokenUri,
      ...more,
    },
    null,
    2,
  );

/** What a token request said, once the server has made sure who sent it. */
export interface Granted {
  readonly grant: string;
  readonly scope: string | null;
  readonly auth: 'basic' | 'post' | 'jwt';
  readonly params: Readonly<Record<string, string>>;
  /** Of an assertion: its header and its claims, with the signature checked by another implementation. */
  readonly header?: object;
  readonly claims?: Readonly<Record<string, unknown>>;
}

export interface AuthorizationServer extends Pick<HttpSink, 'origin' | 'requests' | 'close'> {
  readonly tokenUrl: string;
  readonly granted: readonly Granted[];
  /** The tokens that it gave, in order. */
  readonly tokens: readonly string[];
  /** Whether an API would take the request. */
  isAuthorized(request: SunkRequest): boolean;
  /** No token that was given until now is good any more. */
  revoke(): void;
}

export interface AuthorizationServerOptions {
  /** Added to the answer, or instead of what it has: `{expires_in: 60}`. `undefined` leaves a key out. */
  readonly answer?: object;
  /** Says something else than a token; `undefined`: not this time. */
  readonly instead?: (request: SunkRequest, asked: number) => SinkAnswer | Promise<SinkAnswer> | undefined;
  readonly tls?: boolean;
}

/** An authorization server by RFC 6749 and 7523, on a free port: it checks all that it gets, and gives tokens. */
export async function startAuthorizationServer({
  answer = {},
  instead,
  tls = false,
}: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const granted: Granted[] = [];
  const tokens: string[] = [];
  const valid = new Set<string>();
  let asked = 0;

  const sink = await startHttpSink({
    tls,
    answer: async (request) => {
      asked += 1;
      const other = await instead?.(request, asked);
      if (other) return other;
      const found = await examine(request, `${sink.origin}/token`);
      if (typeof found === 'string') {
        // RFC 6749, 5.2: a client that used the header gets 401, and the scheme that it used.
        const headers = request.headers.authorization ? { 'www-authenticate': 'Basic realm="as"' } : {};
        const status = found === 'invalid_client' ? 401 : 400;
        const body = { error: found, error_description: `about ${request.body}` };
        return json(status, body, headers);
      }
      granted.push(found);
      const token = `token-${tokens.length + 1}-${'x'.repeat(40)}`;
      tokens.push(token);
      valid.add(token);
      return json(200, { access_token: token, token_type: 'Bearer', expires_in: 3600, ...answer });
    },
  });
  return {
    origin: sink.origin,
    requests: sink.requests,
    close: sink.close,
    tokenUrl: `${sink.origin}/token`,
    granted,
    tokens,
    isAuthorized: ({ headers: { authorization = '' } }) => valid.has(authorization.replace(/^Bearer /, '')),
    revoke: () => valid.clear(),
  };
}

export const json = (status: number, body: unknown, headers = {}): SinkAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(body),
});

/** Who asks for what; or the error code of RFC 6749, 5.2. */
async function examine(request: SunkRequest, tokenUrl: string): Promise<Granted | string> {
  const { method, url, headers, body } = request;
  if (method !== 'POST' || url !== '/token') return 'invalid_request';
  if (headers['content-type'] !== 'application/x-www-form-urlencoded') return 'invalid_request';
  const form = new URLSearchParams(body);
  if (new Set(form.keys()).size !== [...form.keys()].length) return 'invalid_request';
  const { grant_type: grant = '', scope = null, ...params } = Object.fromEntries(form);
  if (grant === 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
    const { assertion = '', ...rest } = params;
    if (headers.authorization) return 'invalid_request';
    return jwtGrant(assertion, tokenUrl, { grant, scope, params: rest });
  }
  const { client_id: id, client_secret: secret, refresh_token: refresh, ...rest } = params;
  const header = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (header && (id ?? secret) !== undefined) return 'invalid_request';
  // RFC 6749, 2.3.1: both are form-decoded.
  const pair = header && Buffer.from(header, 'base64').toString('latin1').split(':').map(formDecoded);
  const [who, proof] = pair || [id, secret];
  if ((pair && pair.length !== 2) || who !== clientId || proof !== clientSecret) return 'invalid_client';
  if (grant === 'refresh_token') {
    if (refresh !== refreshToken) return 'invalid_grant';
  } else if (grant !== 'client_credentials') return 'unsupported_grant_type';
  return { grant, scope, auth: header ? 'basic' : 'post', params: rest };
}

const formDecoded = (text: string) => new URLSearchParams(`v=${text}`).get('v') ?? '';

async function jwtGrant(
  assertion: string,
  audience: string,
  granted: Omit<Granted, 'auth'>,
): Promise<Granted | string> {
  for (const [key, alg] of [
    [rsa.publicKey, 'RS256'],
    [p256.publicKey, 'ES256'],
  ] as const) {
    try {
      const { payload, protectedHeader } = await jwtVerify(assertion, await importSPKI(key, alg), {
        audience,
        maxTokenAge: '1h',
        requiredClaims: ['iss', 'iat', 'exp'],
        clockTolerance: '2d',
      });
      return { ...granted, auth: 'jwt', header: protectedHeader, claims: payload };
    } catch {}
  }
  return 'invalid_grant';
}
