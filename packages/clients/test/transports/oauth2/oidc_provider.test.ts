/** Against an authorization server that others wrote and that is certified for OpenID Connect. */

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Provider } from 'oidc-provider';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createHttpClient } from '../../../src/http/http_client.ts';
import type { OAuth2Grant } from '../../../src/oauth2/token_request.ts';
import { createWithToken } from '../../../src/oauth2/tokens.ts';

const secret = 's e/c+r~%:"&=!*() -._';
const client = createHttpClient();
const server = http.createServer();
let provider: Provider;
let tokenUrl: URL;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // The provider warns of what must not go live: made-up keys, and tokens in memory.
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
  await client.close();
  await new Promise((resolve) => server.close(resolve));
});

const ask = (grant: OAuth2Grant) =>
  createWithToken({ http: client, now: Date.now })(grant, 20_000, async (token) => token);

const asking = (auth: 'basic' | 'post', more: object = {}): OAuth2Grant => ({
  grant: 'client_credentials',
  token_url: tokenUrl,
  client_id: `client_secret_${auth}`,
  client_secret: secret,
  client_auth: auth,
  scope: 'leads',
  ...more,
});

test.each(['basic', 'post'] as const)('gets a token with its secret by %s', async (auth) => {
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

test.each<[string, OAuth2Grant]>([
  ['invalid_client', asking('basic', { client_secret: 'wrong' })],
  ['invalid_client', asking('post', { client_id: 'nobody' })],
  ['invalid_scope', asking('basic', { scope: 'admin' })],
])('is told %s', async (error, grant) => {
  await expect(ask({ ...grant, token_url: tokenUrl } as OAuth2Grant)).rejects.toMatchObject({
    code: 'oauth2_refused',
    retryAfterMs: undefined,
    params: { error },
  });
});
