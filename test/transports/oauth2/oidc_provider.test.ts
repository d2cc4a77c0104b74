/** Against an authorization server that others wrote and that is certified for OpenID Connect. */

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Provider } from 'oidc-provider';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createHttpClient } from '../../../packages/clients/src/http/http_client.ts';
import type { OAuth2Grant } from '../../../packages/clients/src/oauth2/token_request.ts';
import { createTokens } from '../../../packages/clients/src/oauth2/tokens.ts';

const secret = 's e/c+r~%:"&=!*() -._';
const client = createHttpClient();
const server = http.createServer();
let provider: Provider;
let tokenUrl: URL;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // It says what must not go live: made-up keys, and tokens in memory.
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

const ask = (grant: OAuth2Grant) => createTokens({ http: client, now: Date.now }).token(grant, 20_000);

const asking = (auth: 'basic' | 'post', more: object = {}): OAuth2Grant => ({
  kind: 'client_credentials',
  tokenUrl,
  client: { id: `client_secret_${auth}`, secret, auth },
  scope: 'leads',
  params: {},
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
  const token = await ask(asking('basic', { kind: 'refresh_token', refreshToken, scope: undefined }));
  expect(await provider.AccessToken.find(token)).toMatchObject({ accountId: 'ada' });
  await expect(
    ask(asking('basic', { kind: 'refresh_token', refreshToken: 'old', scope: undefined })),
  ).rejects.toMatchObject({ code: 'oauth2_refused', params: { error: 'invalid_grant' } });
});

test.each<[string, OAuth2Grant]>([
  [
    'invalid_client',
    asking('basic', { client: { id: 'client_secret_basic', secret: 'wrong', auth: 'basic' } }),
  ],
  ['invalid_client', asking('post', { client: { id: 'nobody', secret, auth: 'post' } })],
  ['invalid_scope', asking('basic', { scope: 'admin' })],
])('is told %s', async (error, grant) => {
  await expect(ask({ ...grant, tokenUrl } as OAuth2Grant)).rejects.toMatchObject({
    code: 'oauth2_refused',
    retryAfterMs: undefined,
    params: { error },
  });
});
