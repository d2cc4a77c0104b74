/** `oauth2` on outputs, through the front door: a relay that runs, an API and an authorization server that check all. */

import { afterEach, describe, expect, test } from 'vitest';
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  clientId,
  clientSecret,
  refreshToken,
  serviceAccount,
  startAuthorizationServer,
} from '../../../test/support/authorization_server.ts';
import {
  type HttpSink,
  type SinkAnswer,
  type SunkRequest,
  startHttpSink,
} from '../../../test/support/http_sink.ts';
import { startRelay, type TestRelay } from '../../../test/support/relay.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startServer(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const server = await startAuthorizationServer(options);
  cleanups.push(server.close);
  return server;
}

async function startApi(answer: (request: SunkRequest) => SinkAnswer): Promise<HttpSink> {
  const api = await startHttpSink({ answer });
  cleanups.push(api.close);
  return api;
}

/** An API that takes the tokens of a server that are good now. */
const guardedBy = (server: AuthorizationServer) =>
  startApi((request) => ({ status: server.isAuthorized(request) ? 200 : 401, body: request.body }));

const bySecret = (tokenUrl: string, more = '') =>
  `{grant: client_credentials, token_url: "${tokenUrl}", client_id: '{{ env "ID" }}', client_secret: '{{ env "SECRET" }}', scope: leads${more}}`;

interface Staged {
  readonly url: string;
  readonly oauth2: string;
  readonly type?: string;
  /** More keys of the output. */
  readonly more?: string;
  readonly env?: Record<string, string>;
}

async function relayWith(...outputs: Staged[]): Promise<TestRelay> {
  const written = outputs.map(
    ({ type = 'http_post', url, oauth2, more = '' }) =>
      `      - {type: ${type}, url: "${url}", mapping: "*", oauth2: ${oauth2}${more}}\n`,
  );
  const relay = await startRelay({
    config: `forms:\n  contact:\n    fields: [{name: name}]\n    outputs:\n${written.join('')}`,
    env: {
      ID: clientId,
      SECRET: clientSecret,
      REFRESH: refreshToken,
      ...Object.assign({}, ...outputs.map(({ env }) => env)),
    },
  });
  cleanups.push(relay.close);
  return relay;
}

const submit = (relay: TestRelay) => relay.submit('contact', [['name', 'Submitted-Name']]);

const authorizations = ({ requests }: HttpSink) => requests.map(({ headers }) => headers.authorization);

/** Neither tokens nor the credentials for them, nor submitted values. */
function expectDiscretion({ logged }: TestRelay, { tokens }: AuthorizationServer) {
  expect(logged).not.toEqual([]);
  const secrets = [clientSecret, refreshToken, 'BEGIN PRIVATE', 'Submitted-Name', 'Bearer', ...tokens];
  for (const word of secrets) expect(JSON.stringify(logged)).not.toContain(word);
}

const reasonOf = ({ logged }: TestRelay) => logged.find(({ event }) => event === 'delivery_failed')?.reason;

/** Chats have tokens of their own. */
const overHttp = ['http_post', 'crm_web2lead', 'webhook'];

describe.each(overHttp)('%s', (type) => {
  test('sends a token that the API takes, and that nobody is shown', async () => {
    const server = await startServer();
    const api = await guardedBy(server);
    const relay = await relayWith({ type, url: api.origin, oauth2: bySecret(server.tokenUrl) });
    expect((await submit(relay)).status).toBe(200);
    expect(authorizations(api)).toEqual([`Bearer ${server.tokens[0]}`]);
    expect(server.granted).toMatchObject([{ grant: 'client_credentials', scope: 'leads', auth: 'basic' }]);
    expectDiscretion(relay, server);
  });
});

test.each<[string, (server: AuthorizationServer) => Staged]>([
  [
    'a refresh token',
    ({ origin, tokenUrl }) => ({
      url: origin,
      oauth2: `{grant: refresh_token, token_url: "${tokenUrl}", client_id: '{{ env "ID" }}', client_secret: '{{ env "SECRET" }}', client_auth: post, refresh_token: '{{ env "REFRESH" }}'}`,
    }),
  ],
  [
    'a service account',
    ({ origin, tokenUrl }) => ({
      url: origin,
      oauth2: `{grant: jwt_bearer, service_account: '{{ env "ACCOUNT" }}', scope: leads, subject: office@firm.test}`,
      env: { ACCOUNT: serviceAccount(tokenUrl) },
    }),
  ],
])('asks with %s', async (_, staged) => {
  const server = await startServer();
  const api = await guardedBy(server);
  const relay = await relayWith({ ...staged(server), url: api.origin });
  expect((await submit(relay)).status).toBe(200);
  expect(authorizations(api)).toEqual([`Bearer ${server.tokens[0]}`]);
  expectDiscretion(relay, server);
});

test('a single request for a token, however many deliveries wait for it', async () => {
  const server = await startServer();
  const api = await guardedBy(server);
  const output = { url: api.origin, oauth2: bySecret(server.tokenUrl) };
  const relay = await relayWith(output, { ...output, type: 'crm_web2lead' });
  const answers = await Promise.all(Array.from({ length: 20 }, () => submit(relay)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(api.requests).toHaveLength(40);
  expect(server.requests).toHaveLength(1);
});

describe('a 401 of the API', () => {
  test('drops the token: it is sent once more with a new one, under the same Idempotency-Key', async () => {
    const server = await startServer();
    const api = await guardedBy(server);
    const relay = await relayWith({ url: api.origin, oauth2: bySecret(server.tokenUrl) });
    await submit(relay);
    server.revoke();
    expect((await submit(relay)).status).toBe(200);
    expect(authorizations(api)).toEqual([0, 0, 1].map((n) => `Bearer ${server.tokens[n]}`));
    const [, before, after] = api.requests.map(({ headers }) => headers['idempotency-key']);
    expect(after).toBe(before);
    await submit(relay);
    expect(server.tokens).toHaveLength(2);
    expectDiscretion(relay, server);
  });

  test('to the new token as well is a failure, and nothing is tried a third time', async () => {
    const server = await startServer();
    const api = await startApi(() => ({ status: 401 }));
    const relay = await relayWith({
      url: api.origin,
      oauth2: bySecret(server.tokenUrl),
      more: ', retries: 5',
    });
    expect((await submit(relay)).status).toBe(500);
    expect([api.requests.length, server.requests.length]).toEqual([2, 2]);
    expect(reasonOf(relay)).toBe('the server answered 401');
    expectDiscretion(relay, server);
  });

  test('by somebody else, to whom a redirect led without the token, asks for no other', async () => {
    const server = await startServer();
    const elsewhere = await startApi(() => ({ status: 401 }));
    const api = await startApi(() => ({ status: 307, headers: { location: `${elsewhere.origin}/there` } }));
    const relay = await relayWith({ url: api.origin, oauth2: bySecret(server.tokenUrl) });
    expect((await submit(relay)).status).toBe(500);
    expect(authorizations(api)).toEqual([`Bearer ${server.tokens[0]}`]);
    expect(authorizations(elsewhere)).toEqual([undefined]);
    expect(server.requests).toHaveLength(1);
  });
});

describe('without a token', () => {
  test('nothing is sent, and the log says why', async () => {
    const server = await startServer();
    const api = await guardedBy(server);
    const env = { SECRET: 'wr0ng-s3cret' };
    const relay = await relayWith({ url: api.origin, oauth2: bySecret(server.tokenUrl), env });
    expect((await submit(relay)).status).toBe(500);
    expect(api.requests).toEqual([]);
    expect(server.requests).toHaveLength(1);
    expect(reasonOf(relay)).toBe('no access token: the authorization server answered invalid_client');
    expect(JSON.stringify(relay.logged)).not.toContain('wr0ng');
  });

  test('a passing reason is waited for, as the server says', async () => {
    const server = await startServer({
      instead: (_, count) => (count === 1 ? { status: 503, headers: { 'retry-after': '3' } } : undefined),
    });
    const api = await guardedBy(server);
    const relay = await relayWith({ url: api.origin, oauth2: bySecret(server.tokenUrl) });
    expect((await submit(relay)).status).toBe(200);
    expect(relay.waited).toEqual([3_000]);
    expect([api.requests.length, server.requests.length]).toEqual([1, 2]);
  });

  test.each<[string, SinkAnswer, RegExp]>([
    [
      'a page',
      { headers: { 'content-type': 'text/html' }, body: '<p>hunter2' },
      /did not answer with whole JSON/,
    ],
    ['a redirect', { status: 302, headers: { location: '/hunter2' } }, /answered 302/],
  ])('from a server that answers with %s', async (_, answer, reason) => {
    const server = await startServer({ instead: () => answer });
    const api = await guardedBy(server);
    const relay = await relayWith({ url: api.origin, oauth2: bySecret(server.tokenUrl) });
    expect((await submit(relay)).status).toBe(500);
    expect(reasonOf(relay)).toMatch(reason);
    expect([api.requests.length, server.requests.length]).toEqual([0, 1]);
    expect(JSON.stringify(relay.logged)).not.toContain('hunter2');
  });

  test('a variable that is not set is named, when the config loads and when it is needed', async () => {
    const server = await startServer();
    const api = await guardedBy(server);
    const relay = await relayWith({
      url: api.origin,
      oauth2: bySecret(server.tokenUrl),
      env: { SECRET: '' },
    });
    expect((await relay.get('/readyz')).status).toBe(503);
    expect(relay.logged).toContainEqual(
      expect.objectContaining({
        event: 'variables_missing',
        variables: ['SECRET'],
        places: ['forms.contact.outputs[0].oauth2.client_secret needs SECRET'],
      }),
    );
    expect((await submit(relay)).status).toBe(500);
    expect(reasonOf(relay)).toBe('`oauth2.client_secret` rendered empty; is its environment variable set?');
    expect(server.requests).toEqual([]);
  });
});

test.each([
  ['client_id', 'grant: client_credentials, token_url: $url, client_id: $unset, client_secret: $secret'],
  ['service_account', 'grant: jwt_bearer, service_account: $unset, scope: leads'],
])('oauth2.%s that renders empty is named, and no request is made: {%s}', async (key, keys) => {
  const server = await startServer();
  const variables = { unset: 'UNSET', id: 'ID', secret: 'SECRET' };
  const written = keys
    .replace('$url', `"${server.tokenUrl}"`)
    .replaceAll(/\$(\w+)/g, (_, name: keyof typeof variables) => `'{{ env "${variables[name]}" }}'`);
  const relay = await relayWith({
    url: server.origin,
    oauth2: `{${written}}`,
    // White space is nothing.
    env: { UNSET: ' \n' },
  });
  expect((await submit(relay)).status).toBe(500);
  expect(reasonOf(relay)).toBe(`\`oauth2.${key}\` rendered empty; is its environment variable set?`);
  expect(server.requests).toEqual([]);
});
