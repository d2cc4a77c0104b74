import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Provider } from 'oidc-provider';
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  clientId,
  clientSecret,
  json,
  serviceAccount,
  startAuthorizationServer,
} from '../../../../../test/support/authorization_server.ts';
import { ClientError, type SinkAnswer, untilEnd } from '../../../../../test/support/index.ts';
import { createHttpClient } from '../../../src/http/http_client.ts';
import { createWithToken, type OAuth2Grant } from '../../../src/oauth2.ts';

const start = (options: AuthorizationServerOptions = {}) => untilEnd(startAuthorizationServer(options));

/** Tokens over real HTTP, with a clock that only tests advance. */
function startTokens() {
  const http = createHttpClient();
  onTestFinished(() => http.close());
  let aheadMs = 0;
  const startedAt = Date.now();
  const now = () => startedAt + aheadMs;
  const withToken = createWithToken({ http, now });
  return {
    withToken,
    token: (grant: OAuth2Grant, timeoutMs: number) => withToken(grant, timeoutMs, async (token) => token),
    advance: (ms: number) => (aheadMs += ms),
  };
}

const client = { client_id: clientId, client_secret: clientSecret, client_auth: 'basic' } as const;

const withSecret = ({ tokenUrl }: Pick<AuthorizationServer, 'tokenUrl'>, more: object = {}): OAuth2Grant => ({
  grant: 'client_credentials',
  token_url: new URL(tokenUrl),
  ...client,
  scope: 'leads.write leads.read',
  ...more,
});

const withAccount = (json: string, more: object = {}): OAuth2Grant => ({
  grant: 'jwt_bearer',
  service_account: json,
  scope: 'https://www.googleapis.com/auth/spreadsheets',
  ...more,
});

async function failureOf(work: Promise<unknown>): Promise<ClientError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ClientError)) throw new Error('expected a ClientError', { cause: error });
  return error;
}

test('sends the request of a Google service account with everything in its file', async () => {
  const server = await start();
  const grant = withAccount(serviceAccount(server.tokenUrl), { subject: 'office@firm.test' });
  await startTokens().token(grant, 5_000);
  expect(server.granted).toEqual([
    {
      grant: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      scope: null,
      auth: 'jwt',
      params: {},
      header: { alg: 'RS256', typ: 'JWT', kid: 'key-1' },
      claims: {
        iss: 'relay@forms-123.iam.gserviceaccount.com',
        sub: 'office@firm.test',
        scope: 'https://www.googleapis.com/auth/spreadsheets',
        aud: server.tokenUrl,
        iat: expect.any(Number),
        exp: expect.any(Number),
      },
    },
  ]);
  const { iat, exp } = server.granted[0]?.claims ?? {};
  expect(Number(exp) - Number(iat)).toBe(3_600);
  expect(Math.abs(Date.now() / 1_000 - Number(iat))).toBeLessThan(60);
});

test.each([
  '/run/secrets/google.json',
  'null',
  '{}',
  serviceAccount('no url'),
  serviceAccount('https://as.test/token', { private_key: 'hunter2' }),
])('an invalid service account file is rejected: %s', async (text) => {
  const error = await failureOf(startTokens().token(withAccount(text), 5_000));
  expect(error).toMatchObject({ code: 'oauth2_account_malformed', retryAfterMs: undefined });
  for (const word of ['hunter2', 'BEGIN', 'relay@', '/run/']) expect(error.message).not.toContain(word);
});

describe('a token', () => {
  test.each<[string, object, number]>([
    ['3600 s', { expires_in: 3600 }, 3_540_000],
    ['an hour, written as text', { expires_in: '3600' }, 3_540_000],
    ['two minutes', { expires_in: 120 }, 60_000],
    ['less than two minutes: half of that', { expires_in: 10 }, 5_000],
    ['it does not say how long', { expires_in: undefined }, 300_000],
    ['null', { expires_in: null }, 300_000],
    ['zero', { expires_in: 0 }, 300_000],
    ['less than nothing', { expires_in: -3600 }, 300_000],
    ['words', { expires_in: 'soon' }, 300_000],
    ['longer than a day', { expires_in: 1e300 }, 86_400_000],
  ])('is kept until a minute before it expires: %s', async (_, answer, keptMs) => {
    const server = await start({ answer });
    const { token, advance } = startTokens();
    const grant = withSecret(server);
    const first = await token(grant, 5_000);
    advance(keptMs - 1);
    expect(await token(grant, 5_000)).toBe(first);
    advance(1);
    expect(await token(grant, 5_000)).not.toBe(first);
    expect(server.requests).toHaveLength(2);
  });

  test('takes little memory: for very many grants, only the latest are kept', async () => {
    const server = await start();
    const { token } = startTokens();
    const grant = (n: number) => withSecret(server, { scope: `s${n}` });
    for (let n = 0; n < 150; n += 1) await token(grant(n), 5_000);
    await token(grant(149), 5_000);
    expect(server.requests).toHaveLength(150);
    await token(grant(0), 5_000);
    expect(server.requests).toHaveLength(151);
  });
});

describe('an authorization server that issues no token', () => {
  const hostile = 'hunter2 <b>ada@example.com</b>';
  const page = { headers: { 'content-type': 'text/html' }, body: `<h1>Sign in, ${hostile}</h1>` };
  const redirect = { status: 302, headers: { location: 'https://login.example.com/?hunter2' } };
  const client = { error: 'invalid_client', error_description: hostile };
  const noJson = 'did not answer with valid JSON of at most 64 KB; is `token_url` its token endpoint?';
  const leads = 'answered 302; `token_url` must be the address that it redirects to';
  test.each<[answer: SinkAnswer, code: string, retryAfterMs: number | undefined, words: string]>([
    [json(401, client, { 'www-authenticate': 'Basic' }), 'refused', undefined, 'answered invalid_client'],
    [json(401, { ...client, error_codes: [70002] }), 'refused', undefined, 'invalid_client (AADSTS70002)'],
    [json(400, { error: 'org_internal' }), 'refused', undefined, 'answered org_internal'],
    [json(200, { error: 'access_denied' }), 'refused', undefined, 'answered access_denied'],
    [json(400, { error: hostile }), 'status', undefined, 'answered 400'],
    [{ status: 404, body: `<h1>${hostile}</h1>` }, 'status', undefined, 'answered 404'],
    [{ status: 503, headers: { 'retry-after': '7' } }, 'status', 7_000, 'answered 503'],
    [json(429, { error: 'slow_down' }, { 'retry-after': '2' }), 'refused', 2_000, 'answered slow_down'],
    [json(400, { error: 'temporarily_unavailable' }), 'refused', 0, 'answered temporarily_unavailable'],
    [page, 'no_json', undefined, noJson],
    [redirect, 'redirected', undefined, leads],
    [json(200, { token_type: 'Bearer' }), 'no_token', undefined, 'has no valid token'],
    [json(200, { access_token: `a\r\nX-Evil: ${hostile}` }), 'no_token', undefined, 'has no valid token'],
    [json(200, { access_token: 'a'.repeat(70_000) }), 'no_json', 0, 'JSON'],
  ])('%o: %s', async (answer, code, retryAfterMs, words) => {
    const server = await start({ instead: () => answer });
    const { token } = startTokens();
    const error = await failureOf(token(withSecret(server), 5_000));
    expect(error).toMatchObject({ code: `oauth2_${code}`, retryAfterMs });
    if (code === 'refused') expect(error).toMatchObject({ isUnsent: true });
    expect(error.message).toContain(words);
    expect(error.message).toMatch(/^no access token: .{1,150}$/);
    for (const word of ['hunter2', 'ada@', '<h1>', clientSecret, clientId])
      expect(JSON.stringify([error.message, error.params])).not.toContain(word);
    // No token is kept, and the request is not repeated.
    expect(server.requests).toHaveLength(1);
    await failureOf(token(withSecret(server), 5_000));
    expect(server.requests).toHaveLength(2);
  });
});

/** Tests against an independent authorization server that is certified for OpenID Connect. */

const secret = 's e/c+r~%:"&=!*() -._';
const clientOidcProvider = createHttpClient();
const server = http.createServer();
let provider: Provider;
let tokenUrl: URL;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // The provider warns about things that must not go into production: generated keys, and tokens in memory.
  for (const method of ['log', 'info', 'warn'] as const)
    vi.spyOn(console, method).mockImplementation(() => {});
  const { Provider } = await import('oidc-provider');
  provider = new Provider(issuer, {
    clients: (['client_secret_basic', 'client_secret_post'] as const).map((method) => ({
      client_id: method,
      client_secret: secret,
      token_endpoint_auth_method: method,
      grant_types: ['client_credentials', 'refresh_token', 'authorization_code'],
      redirect_uris: ['https://firm.test/back'],
      scope: 'openid offline_access leads',
    })),
    scopes: ['openid', 'offline_access', 'leads', 'admin'],
    features: { clientCredentials: { enabled: true } },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  });
  server.on('request', provider.callback());
  tokenUrl = new URL('/token', issuer);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await clientOidcProvider.close();
  await new Promise((resolve) => server.close(resolve));
});

const ask = (grant: OAuth2Grant) =>
  createWithToken({ http: clientOidcProvider, now: Date.now })(grant, 20_000, async (token) => token);

const asking = (auth: 'basic' | 'post', more: object = {}): OAuth2Grant => ({
  grant: 'client_credentials',
  token_url: tokenUrl,
  client_id: `client_secret_${auth}`,
  client_secret: secret,
  client_auth: auth,
  scope: 'leads',
  ...more,
});

test.each(['basic', 'post'] as const)('gets a token, with its secret sent by %s', async (auth) => {
  const token = await provider.ClientCredentials.find(await ask(asking(auth)));
  expect(token).toMatchObject({ clientId: `client_secret_${auth}`, scope: 'leads' });
});

test('gets a token with a refresh token', async () => {
  const oidcClient = await provider.Client.find('client_secret_basic');
  if (!oidcClient) throw new Error('the provider has no clients');
  const grant = new provider.Grant({ accountId: 'ada', clientId: 'client_secret_basic' });
  grant.addOIDCScope('openid offline_access');
  const refresh = new provider.RefreshToken({
    accountId: 'ada',
    client: oidcClient,
    grantId: await grant.save(),
    gty: 'authorization_code',
    scope: 'openid offline_access',
    authTime: 1,
  });
  const refreshToken = await refresh.save();
  const token = await ask(
    asking('basic', { grant: 'refresh_token', refresh_token: refreshToken, scope: undefined }),
  );
  expect(await provider.AccessToken.find(token)).toMatchObject({ accountId: 'ada' });
  await expect(
    ask(asking('basic', { grant: 'refresh_token', refresh_token: 'old', scope: undefined })),
  ).rejects.toMatchObject({ code: 'oauth2_refused', params: { error: 'invalid_grant' } });
});
