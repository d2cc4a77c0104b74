import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHttpClient } from '../../../packages/clients/src/http/http_client.ts';
import type { OAuth2Grant } from '../../../packages/clients/src/oauth2/token_request.ts';
import { createTokens } from '../../../packages/clients/src/oauth2/tokens.ts';
import type { HttpAnswer, HttpClient } from '../../../packages/core/src/services.ts';
import { ClientError, failed } from '../../core/client_error.ts';
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  clientId,
  clientSecret,
  json,
  p256,
  refreshToken,
  rsa,
  serviceAccount,
  startAuthorizationServer,
} from '../../support/authorization_server.ts';
import type { SinkAnswer } from '../../support/http_sink.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options: AuthorizationServerOptions = {}) {
  const server = await startAuthorizationServer(options);
  cleanups.push(server.close);
  return server;
}

/** Tokens over real HTTP, by a clock that only tests push forward. */
function startTokens(client?: HttpClient) {
  const http = createHttpClient();
  cleanups.push(() => http.close());
  let aheadMs = 0;
  const startedAt = Date.now();
  const now = () => startedAt + aheadMs;
  const tokens = createTokens({ http: client ?? http, now });
  return { ...tokens, advance: (ms: number) => (aheadMs += ms) };
}

/** A key that the server does not know. */
const other = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
}).privateKey;

const client = { id: clientId, secret: clientSecret, auth: 'basic' } as const;

const withSecret = ({ tokenUrl }: Pick<AuthorizationServer, 'tokenUrl'>, more: object = {}): OAuth2Grant => ({
  kind: 'client_credentials',
  tokenUrl: new URL(tokenUrl),
  client,
  scope: 'leads.write leads.read',
  params: {},
  ...more,
});

const withRefreshToken = ({ tokenUrl }: AuthorizationServer, refresh = refreshToken): OAuth2Grant => ({
  kind: 'refresh_token',
  tokenUrl: new URL(tokenUrl),
  client,
  refreshToken: refresh,
  scope: undefined,
  params: {},
});

const withKey = ({ tokenUrl }: AuthorizationServer, more: object = {}): OAuth2Grant => ({
  kind: 'jwt_bearer',
  tokenUrl: new URL(tokenUrl),
  issuer: 'client-9',
  subject: undefined,
  audience: undefined,
  privateKey: rsa.privateKey,
  keyId: undefined,
  scope: undefined,
  params: {},
  ...more,
});

const withAccount = (json: string, more: object = {}): OAuth2Grant => ({
  kind: 'service_account',
  json,
  subject: undefined,
  scope: 'https://www.googleapis.com/auth/spreadsheets',
  params: {},
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
    const grant = withSecret(server, { client: { ...client, auth }, params: { audience: 'https://crm' } });
    expect(await token(grant, 5_000)).toBe(server.tokens[0]);
    expect(server.granted).toEqual([
      {
        grant: 'client_credentials',
        scope: 'leads.write leads.read',
        auth,
        params: { audience: 'https://crm' },
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

describe('an assertion', () => {
  test.each([
    ['RS256', rsa.privateKey],
    ['ES256', p256.privateKey],
  ])('is signed with %s, and short-lived', async (alg, privateKey) => {
    const server = await start();
    const more = { privateKey, keyId: 'k-7', subject: 'office@firm.test', scope: 'leads' };
    await startTokens().token(withKey(server, more), 5_000);
    const [granted] = server.granted;
    expect(granted).toMatchObject({
      scope: 'leads',
      header: { alg, kid: 'k-7' },
      claims: { iss: 'client-9', sub: 'office@firm.test', aud: server.tokenUrl },
    });
    expect(Number(granted?.claims?.exp) - Number(granted?.claims?.iat)).toBe(180);
  });

  test('leaves out what is not configured', async () => {
    const server = await start();
    await startTokens().token(withKey(server), 5_000);
    const [granted] = server.granted;
    expect(Object.keys(granted?.claims ?? {}).sort()).toEqual(['aud', 'exp', 'iat', 'iss']);
    expect(granted?.header).toEqual({ alg: 'RS256', typ: 'JWT' });
  });

  test.each([
    ['with \\n for its line breaks', rsa.privateKey.replaceAll('\n', '\\n')],
    ['with white space around it', `\n  ${rsa.privateKey}\n`],
    ['with the line ends of Windows', rsa.privateKey.replaceAll('\n', '\r\n')],
  ])('takes a key %s', async (_, privateKey) => {
    const server = await start();
    await startTokens().token(withKey(server, { privateKey }), 5_000);
    expect(server.granted).toHaveLength(1);
  });

  test.each([
    ['no key', 'hunter2'],
    ['a public key', rsa.publicKey],
    ['a certificate without its end', rsa.privateKey.slice(0, 300)],
  ])('says that %s is none, and shows nothing of it', async (_, privateKey) => {
    const server = await start();
    const error = await failureOf(startTokens().token(withKey(server, { privateKey }), 5_000));
    expect(error).toMatchObject({
      code: 'oauth2_key_malformed',
      retryAfterMs: undefined,
      message:
        '`oauth2.private_key` is no private key in PEM format that is RSA or P-256, without a passphrase',
    });
    expect(server.requests).toEqual([]);
  });
});

describe("a service account's file", () => {
  test('may have come through a file of variables, which made line breaks of its \\n', async () => {
    const server = await start();
    const spoiled = serviceAccount(server.tokenUrl).replaceAll('\\n', '\n');
    expect(() => JSON.parse(spoiled)).toThrow();
    await startTokens().token(withAccount(spoiled), 5_000);
    expect(server.granted).toHaveLength(1);
  });

  test.each([
    ['oauth2_account_no_json', '/run/secrets/google.json'],
    ['oauth2_account_no_json', '"text"'],
    ['oauth2_account_no_json', 'null'],
    ['oauth2_account_malformed', '{}'],
    ['oauth2_account_malformed', '[]'],
    ['oauth2_account_malformed', serviceAccount('https://as.test/token', { type: 'authorized_user' })],
    ['oauth2_account_malformed', serviceAccount('http://as.test/token')],
    ['oauth2_account_malformed', serviceAccount('no url')],
    ['oauth2_account_malformed', serviceAccount('https://as.test/token', { client_email: 7 })],
    ['oauth2_key_malformed', serviceAccount('https://as.test/token', { private_key: 'hunter2' })],
  ])('%s', async (code, text) => {
    const error = await failureOf(startTokens().token(withAccount(text), 5_000));
    expect(error).toMatchObject({ code, retryAfterMs: undefined });
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
    ['a list', { expires_in: [3600] }, 300_000],
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

  test('is forgotten by those who know it alone: a newer one stays', async () => {
    const server = await start();
    const { token, forget } = startTokens();
    const grant = withSecret(server);
    const first = await token(grant, 5_000);
    forget(grant, first);
    const second = await token(grant, 5_000);
    forget(grant, first);
    expect(await token(grant, 5_000)).toBe(second);
    expect(server.requests).toHaveLength(2);
  });

  test('takes little memory: of very many grants, those used last are kept', async () => {
    const server = await start();
    const { token } = startTokens();
    const grant = (n: number) => withSecret(server, { scope: `s${n}` });
    for (let n = 0; n < 150; n += 1) {
      await token(grant(n), 5_000);
      await token(grant(0), 5_000);
    }
    expect(server.requests).toHaveLength(150);
    await token(grant(149), 5_000);
    await token(grant(0), 5_000);
    expect(server.requests).toHaveLength(150);
    await token(grant(1), 5_000);
    expect(server.requests).toHaveLength(151);
  });
});

describe('time', () => {
  test('ends the waiting of each who waits, and another goes on with what is left of its own', async () => {
    let answer: (answer: SinkAnswer | undefined) => void = () => {};
    const late = new Promise<SinkAnswer | undefined>((resolve) => (answer = resolve));
    let isShortOver = false;
    const server = await start({
      instead: () => (isShortOver ? undefined : (late as Promise<SinkAnswer>)),
    });
    const { token } = startTokens();
    const short = failureOf(token(withSecret(server), 100)).finally(() => (isShortOver = true));
    const long = token(withSecret(server), 60_000);
    const error = await short;
    expect(error).toMatchObject({ code: 'oauth2_unreachable', retryAfterMs: 0, isUnsent: true });
    expect(error.message).toBe(
      'no access token: the authorization server did not answer: no complete answer within 100 ms',
    );
    expect(await long).toBe(server.tokens[0]);
    // On a busy machine, the first may not have come so far.
    expect(server.requests.length).toBeLessThanOrEqual(2);
    answer(json(200, {}));
  });
});

describe('a server that takes longer than some who wait have left', () => {
  /** By a clock of its own, and a server that answers when it is told to. */
  function startSlow() {
    const asked: { readonly timeoutMs: number; readonly answer: (answer: HttpAnswer) => void }[] = [];
    const http: HttpClient = ({ timeoutMs }) =>
      new Promise((answer, fail) => {
        asked.push({ timeoutMs, answer });
        setTimeout(() => fail(failed('timed_out', { timeoutMs })), timeoutMs);
      });
    return { asked, ...createTokens({ http, now: Date.now }) };
  }
  const grant = withSecret({ tokenUrl: 'https://as.test/token' });
  const yes = { status: 200, headers: {}, body: '{"access_token":"late","token_type":"bearer"}' };

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is not asked again by each of them', async () => {
    const { asked, token } = startSlow();
    const all = [];
    for (let n = 0; n < 50; n += 1) {
      all.push(failureOf(token(grant, 3_000)));
      await vi.advanceTimersByTimeAsync(50);
    }
    await vi.advanceTimersByTimeAsync(60_000);
    expect(new Set((await Promise.all(all)).map(({ code }) => code))).toEqual(
      new Set(['oauth2_unreachable']),
    );
    expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([3_000, 3_000]);
  });

  test('is asked anew by those who come when nobody waits any more, as after a sleep', async () => {
    const { asked, token } = startSlow();
    const first = failureOf(token(grant, 3_000));
    await vi.advanceTimersByTimeAsync(50);
    const second = failureOf(token(grant, 3_000));
    await vi.advanceTimersByTimeAsync(3_100);
    await Promise.all([first, second]);
    const third = token(grant, 3_000);
    asked[2]?.answer(yes);
    expect(await third).toBe('late');
  });
});

describe('an authorization server that gives none', () => {
  const hostile = 'hunter2 <b>ada@example.com</b>';
  test.each<[string, SinkAnswer, object, string]>([
    [
      'invalid_client',
      json(401, { error: 'invalid_client', error_description: hostile }, { 'www-authenticate': 'Basic' }),
      { code: 'oauth2_refused', retryAfterMs: undefined, isUnsent: true },
      'answered invalid_client: it does not know `client_id`, or `client_secret` is wrong or has ended',
    ],
    [
      'the number of Microsoft',
      json(401, { error: 'invalid_client', error_codes: [7000215], error_description: hostile }),
      { code: 'oauth2_refused', retryAfterMs: undefined },
      'answered invalid_client (AADSTS7000215): it does not know `client_id`, or `client_secret` is wrong or has ended',
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
      'did not answer with JSON; is `token_url` its token endpoint?',
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
      { code: 'oauth2_answer_cut', retryAfterMs: 0 },
      'end',
    ],
    [
      'a token of another type',
      json(200, { access_token: 'a', token_type: 'mac' }),
      { code: 'oauth2_token_type', retryAfterMs: undefined },
      'of another type than Bearer',
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

  test('says what invalid_grant means for each way to ask', async () => {
    const server = await start();
    const { token } = startTokens();
    const stranger = await start();
    const messages = [
      await failureOf(token(withRefreshToken(server, 'old'), 5_000)),
      await failureOf(token(withAccount(serviceAccount(server.tokenUrl, { private_key: other })), 5_000)),
      await failureOf(token(withKey(server, { audience: stranger.tokenUrl }), 5_000)),
    ].map(({ message }) => message.replace('no access token: the authorization server answered ', ''));
    expect(messages).toEqual([
      'invalid_grant: the refresh token has ended; somebody must give consent again',
      "invalid_grant: it does not take the key, or whom it is for; or this machine's clock is wrong",
      "invalid_grant: it does not take the key, or whom it is for; or this machine's clock is wrong",
    ]);
  });
});
