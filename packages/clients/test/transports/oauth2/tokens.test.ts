import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  clientId,
  clientSecret,
  json,
  refreshToken,
  serviceAccount,
  startAuthorizationServer,
} from '../../../../../test/support/authorization_server.ts';
import { ClientError } from '../../../../../test/support/failed.ts';
import type { SinkAnswer } from '../../../../../test/support/http_sink.ts';
import { createHttpClient } from '../../../src/http/http_client.ts';
import type { OAuth2Grant } from '../../../src/oauth2/token_request.ts';
import { createWithToken } from '../../../src/oauth2/tokens.ts';

async function start(options: AuthorizationServerOptions = {}) {
  const server = await startAuthorizationServer(options);
  onTestFinished(server.close);
  return server;
}

/** Tokens over real HTTP, by a clock that only tests push forward. */
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

const withRefreshToken = ({ tokenUrl }: AuthorizationServer, refresh = refreshToken): OAuth2Grant => ({
  grant: 'refresh_token',
  token_url: new URL(tokenUrl),
  ...client,
  refresh_token: refresh,
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

describe('over HTTP', () => {
  test.each(['basic', 'post'] as const)('asks in its own name, with its secret by %s', async (auth) => {
    const server = await start();
    const { token } = startTokens();
    const grant = withSecret(server, { client_auth: auth });
    expect(await token(grant, 5_000)).toBe(server.tokens[0]);
    expect(server.granted).toEqual([
      {
        grant: 'client_credentials',
        scope: 'leads.write leads.read',
        auth,
        params: {},
      },
    ]);
    expect(server.requests[0]?.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': expect.stringMatching(/^form-relay\//),
    });
  });

  test('asks with a refresh token', async () => {
    const server = await start();
    await startTokens().token(withRefreshToken(server), 5_000);
    expect(server.granted).toEqual([{ grant: 'refresh_token', scope: null, auth: 'basic', params: {} }]);
  });

  test('asks as a service account of Google, by all that its file says', async () => {
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
});

describe("a service account's file", () => {
  test.each([
    '/run/secrets/google.json',
    'null',
    '{}',
    serviceAccount('no url'),
    serviceAccount('https://as.test/token', { private_key: 'hunter2' }),
  ])('is none: %s', async (text) => {
    const error = await failureOf(startTokens().token(withAccount(text), 5_000));
    expect(error).toMatchObject({ code: 'oauth2_account_malformed', retryAfterMs: undefined });
    for (const word of ['hunter2', 'BEGIN', 'relay@', '/run/']) expect(error.message).not.toContain(word);
  });
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
  ])('is kept until a minute before its end: %s', async (_, answer, keptMs) => {
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

  test('is forgotten once it is refused, for one more try', async () => {
    const server = await start();
    const { withToken, token } = startTokens();
    const grant = withSecret(server);
    const tried: string[] = [];
    const refusing = withToken(grant, 5_000, async (token) => {
      tried.push(token);
      throw new ClientError('refused', { code: 'login_refused' });
    });
    await failureOf(refusing);
    expect(tried).toEqual(server.tokens);
    expect(await token(grant, 5_000)).toBe(server.tokens[1]);
  });

  test('takes little memory: of very many grants, the latest are kept', async () => {
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

describe('an authorization server that gives none', () => {
  const hostile = 'hunter2 <b>ada@example.com</b>';
  test.each<[string, SinkAnswer, object, string]>([
    [
      'invalid_client',
      json(401, { error: 'invalid_client', error_description: hostile }, { 'www-authenticate': 'Basic' }),
      { code: 'oauth2_refused', retryAfterMs: undefined, isUnsent: true },
      'answered invalid_client',
    ],
    [
      'the number of Microsoft',
      json(401, { error: 'invalid_client', error_codes: [7000215], error_description: hostile }),
      { code: 'oauth2_refused', retryAfterMs: undefined },
      'answered invalid_client (AADSTS7000215)',
    ],
    [
      'a code of its own',
      json(400, { error: 'org_internal' }),
      { code: 'oauth2_refused', retryAfterMs: undefined },
      'answered org_internal',
    ],
    [
      'a code with status 200',
      json(200, { error: 'access_denied' }),
      { code: 'oauth2_refused', retryAfterMs: undefined },
      'answered access_denied',
    ],
    [
      'text instead of a code',
      json(400, { error: hostile }),
      { code: 'oauth2_status', retryAfterMs: undefined },
      'answered 400',
    ],
    [
      'a page with 404',
      { status: 404, body: `<h1>${hostile}</h1>` },
      { code: 'oauth2_status' },
      'answered 404',
    ],
    [
      '503, and says how long',
      { status: 503, headers: { 'retry-after': '7' } },
      { code: 'oauth2_status', retryAfterMs: 7_000 },
      'answered 503',
    ],
    [
      '429, and says how long',
      json(429, { error: 'slow_down' }, { 'retry-after': '2' }),
      { code: 'oauth2_refused', retryAfterMs: 2_000 },
      'answered slow_down',
    ],
    [
      'temporarily_unavailable',
      json(400, { error: 'temporarily_unavailable' }),
      { code: 'oauth2_refused', retryAfterMs: 0 },
      'answered temporarily_unavailable',
    ],
    [
      'a page',
      { headers: { 'content-type': 'text/html' }, body: `<h1>Sign in, ${hostile}</h1>` },
      { code: 'oauth2_no_json', retryAfterMs: undefined },
      'did not answer with whole JSON of at most 64 KB; is `token_url` its token endpoint?',
    ],
    [
      'a redirect',
      { status: 302, headers: { location: 'https://login.example.com/?hunter2' } },
      { code: 'oauth2_redirected', retryAfterMs: undefined },
      'answered 302; `token_url` must be the address that it leads to',
    ],
    ['no token', json(200, { token_type: 'Bearer' }), { code: 'oauth2_no_token' }, 'there is none'],
    [
      'a token that starts a header',
      json(200, { access_token: `a\r\nX-Evil: ${hostile}` }),
      { code: 'oauth2_no_token' },
      'that could stand in a header',
    ],
    [
      'an endless answer',
      json(200, { access_token: 'a'.repeat(70_000) }),
      { code: 'oauth2_no_json', retryAfterMs: 0 },
      'JSON',
    ],
  ])('%s', async (_, answer, expected, words) => {
    const server = await start({ instead: () => answer });
    const { token } = startTokens();
    const error = await failureOf(token(withSecret(server), 5_000));
    expect(error).toMatchObject(expected);
    expect(error.message).toContain(words);
    expect(error.message).toMatch(/^no access token: .{1,150}$/);
    for (const word of ['hunter2', 'ada@', '<h1>', clientSecret, clientId]) {
      expect(JSON.stringify([error.message, error.params])).not.toContain(word);
    }
    // Nothing is kept of it, and nothing repeated.
    expect(server.requests).toHaveLength(1);
    await failureOf(token(withSecret(server), 5_000));
    expect(server.requests).toHaveLength(2);
  });
});
