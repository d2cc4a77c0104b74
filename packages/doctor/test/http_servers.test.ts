import {
  type AuthorizationServerOptions,
  clientId,
  clientSecret,
  json,
  refreshToken,
  serviceAccount,
  startAuthorizationServer,
} from '../../../test/support/authorization_server.ts';
import { httpSink, type SinkAnswer, untilEnd } from '../../../test/support/index.ts';
import { createTryConnect } from '../../clients/src/probes/http.ts';
import { connectionFailure } from '../../clients/src/socket.ts';
import { diagnose, formWith, like } from './stage.ts';

const posts = (...urls: string[]) =>
  formWith(`[${urls.map((url) => `{type: http_post, url: "${url}", mapping: "*"}`)}]`);

const failed = (code: string, syscall?: string) => Object.assign(new Error(), { code, syscall });
const refusedByOne = new AggregateError([
  failed('ENETUNREACH', 'connect'),
  failed('ECONNREFUSED', 'connect'),
]);

test('the doctor connects to a server once, completes the TLS handshake, and sends no request', async () => {
  const sink = await httpSink({ tls: true });
  const config = posts(`${sink.origin}/a`, `${sink.origin}/b?c=d`);
  expect(await diagnose('HTTP outputs', config)).toEqual([
    `ok ${sink.origin}: speaks TLS, with a certificate until 2126-10-27; no request was made`,
  ]);
  expect(sink.connections).toBe(1);
  expect(sink.requests).toEqual([]);
});

test('a certificate that no known authority signed is a failure', async () => {
  const sink = await httpSink({ tls: true });
  expect(await diagnose('HTTP outputs', posts(sink.origin), { tryConnect: createTryConnect() })).toEqual(
    like(/^failure .*certificate not trusted: .*outputs\[0\].* -> .*NODE_EXTRA_CA_CERTS/),
  );
});

test('a server that does not use TLS is a failure', async () => {
  const sink = await httpSink();
  expect(await diagnose('HTTP outputs', posts(sink.origin.replace('http:', 'https:')))).toEqual(
    like(/^failure .*(TLS failed|closed).* -> /),
  );
});

test('an unreachable server is a failure', async () => {
  const sink = await httpSink();
  await sink.close();
  expect(await diagnose('HTTP outputs', posts(sink.origin))).toEqual(
    like(/^failure .*connect ECONNREFUSED .* -> Port \d+ of 127\.0\.0\.1 is closed/),
  );
});

test.each<[NodeJS.ErrnoException, string]>([
  [failed('ENOTFOUND', 'getaddrinfo'), '…could not resolve … -> Check the spelling of a.example'],
  [failed('ENETUNREACH', 'connect'), '…ENETUNREACH … -> A firewall may block the connection. Or port'],
  [refusedByOne, '…ECONNREFUSED … -> Port 443'],
  [failed('CERT_HAS_EXPIRED'), '…not trusted: … -> Renew the certificate of a.example'],
])('a connection that fails with %o', async (error, expected) => {
  const tryConnect = () => Promise.reject(connectionFailure(error));
  expect(await diagnose('HTTP outputs', posts('https://a.example/'), { tryConnect })).toEqual(like(expected));
});

const now = Date.UTC(2030, 0, 1);
const inDays = (days: number) => async () => ({ certificateUntil: now + days * 86_400_000 });

test.each([
  [13, /^warning https:\/\/a\.example: the certificate expires on 2030-01-14/],
  [15, /^ok https:\/\/a\.example: speaks TLS, with a certificate until 2030-01-16/],
])('a certificate with %i days left', async (days, expected) => {
  const stage = { now: () => now, tryConnect: inDays(days) };
  expect(await diagnose('HTTP outputs', posts('https://a.example/'), stage)).toEqual([
    expect.stringMatching(expected),
  ]);
});

async function start(options?: AuthorizationServerOptions) {
  const server = await untilEnd(startAuthorizationServer(options));
  return { ...server, host: new URL(server.origin).host };
}

const env = { ID: clientId, SECRET: clientSecret, REFRESH: refreshToken };
const bySecret = (tokenUrl: string, more = '') =>
  `{grant: client_credentials, token_url: "${tokenUrl}", client_id: '{{ env "ID" }}', client_secret: '{{ env "SECRET" }}'${more}}`;
const byRefreshToken = (tokenUrl: string) =>
  `{grant: refresh_token, token_url: "${tokenUrl}", client_id: '{{ env "ID" }}', client_secret: '{{ env "SECRET" }}', refresh_token: '{{ env "REFRESH" }}'}`;

const postsTokens = (url: string, ...oauth2: string[]) =>
  formWith(`[${oauth2.map((one) => `{type: http_post, url: "${url}", mapping: "*", oauth2: ${one}}`)}]`);

/** The findings about tokens. Other tests cover those about the API's server. */
async function saidOfTokens(config: string, more: Parameters<typeof diagnose>[2] = {}) {
  const said = await diagnose('HTTP outputs', config, { env, ...more });
  return said.filter((line) => !line.includes('no request was made'));
}

test('requests one token, and nothing from the API', async () => {
  const [server, api] = [await start(), await httpSink()];
  const config = postsTokens(api.origin, bySecret(server.tokenUrl), bySecret(server.tokenUrl));
  expect(await diagnose('HTTP outputs', config, { env })).toEqual([
    `ok ${api.origin}: accepts connections; no request was made`,
    `ok tokens of ${server.host}: issued a token for 60 min; its permissions were not tested`,
  ]);
  expect([server.requests.length, api.requests.length]).toEqual([1, 0]);
});

test('warns of refresh tokens that change', async () => {
  const [server, api] = [await start({ answer: { refresh_token: 'another' } }), await httpSink()];
  expect(await saidOfTokens(postsTokens(api.origin, byRefreshToken(server.tokenUrl)))).toEqual(
    like(/^warning tokens of .*a new refresh token, which the relay does not store .* -> Find out/),
  );
});

const refusal = (status: number, error: string, ...error_codes: number[]) =>
  json(status, { error, ...(error_codes.length > 0 && { error_codes }) });

test.each<[SinkAnswer, string]>([
  [refusal(401, 'invalid_client'), 'answered invalid_client … -> …client_auth: post'],
  [
    refusal(401, 'invalid_client', 7000222),
    '(AADSTS7000222) … -> The client secret has expired: create a new one',
  ],
  [
    refusal(400, 'invalid_request', 900144),
    '-> Microsoft explains …login.microsoftonline.com/error?code=900144.',
  ],
  [refusal(400, 'invalid_scope'), " -> Write scope exactly as the service's manual shows it"],
  [refusal(400, 'constructor'), ' -> Look up the code'],
  [refusal(429, 'slow_down'), 'answered slow_down… -> This may be temporary'],
  [{ status: 503, body: 'hunter2' }, 'answered 503… -> This may be temporary'],
  [{ status: 404, body: 'hunter2' }, 'answered 404… -> Check token_url'],
  [{ body: '<h1>Sign in hunter2</h1>' }, 'did not answer with valid JSON… -> Check token_url'],
  [{ status: 302, headers: { location: '/hunter2' } }, 'answered 302… -> Check token_url'],
])('says what is wrong with %j, and how to fix it', async (answer, expected) => {
  const [server, api] = [await start({ instead: () => answer }), await httpSink()];
  const said = await saidOfTokens(postsTokens(api.origin, bySecret(server.tokenUrl)));
  expect(said).toEqual(like(`failure tokens of 127.0.0.1:…: no access token: …${expected}`));
  expect(said[0]).toMatch(/outputs\[0\]\) -> /);
  for (const word of ['hunter2', clientSecret, clientId]) expect(said.join()).not.toContain(word);
});

test('an unreachable server is a failure', async () => {
  const [server, api] = [await start(), await httpSink()];
  await server.close();
  expect(await saidOfTokens(postsTokens(api.origin, bySecret(server.tokenUrl)))).toEqual(
    like(/^failure tokens of .*connect ECONNREFUSED .*-> Port \d+ of 127\.0\.0\.1 is closed/),
  );
});

test('sends no request if a variable is missing', async () => {
  const [server, api] = [await start(), await httpSink()];
  const config = postsTokens(api.origin, bySecret(server.tokenUrl));
  expect(await saidOfTokens(config, { env: { ID: clientId } })).toEqual(
    like(/^failure oauth2: `oauth2\.client_secret` rendered empty.*outputs\[0\]\) -> Set the variable/),
  );
  expect(server.requests).toEqual([]);
});

test.each<[string, (tokenUrl: string) => string, RegExp]>([
  ['a path', () => '/run/google.json', /put the content of the file into the variable, not its path/],
  ['a key that is none', (url) => serviceAccount(url, { private_key: 'hunter2' }), /oauth2\.service_account/],
])('a service account that is %s', async (_, account, expected) => {
  const [server, api] = [await start(), await httpSink()];
  const config = postsTokens(
    api.origin,
    `{grant: jwt_bearer, service_account: '{{ env "ACCOUNT" }}', scope: a}`,
  );
  const [said] = await saidOfTokens(config, { env: { ACCOUNT: account(server.tokenUrl) } });
  expect(said).toMatch(expected);
  expect(said).toMatch(/ -> Put the whole content of the file into the variable/);
  expect(said).not.toMatch(/hunter2|BEGIN|\/run/);
});
