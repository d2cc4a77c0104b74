/** `oauth2` on outputs, tested with a running relay, an API and an authorization server that verify everything. */

import net from 'node:net';
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  clientId,
  clientSecret,
  refreshToken,
  serviceAccount,
  startAuthorizationServer,
} from '../../../test/support/authorization_server.ts';
import { ca } from '../../../test/support/certificates.ts';
import {
  contact,
  type HttpSink,
  httpSink,
  smtpScript,
  smtpSink,
  untilEnd,
} from '../../../test/support/index.ts';
import type { TestRelay } from '../../../test/support/relay.ts';
import type { SmtpSinkOptions } from '../../../test/support/smtp_sink.ts';
import { createSmtpClient } from '../../clients/src/smtp/smtp_client.ts';
import type { Services } from '../../core/src/services.ts';

const startServer = (options: AuthorizationServerOptions = {}) => untilEnd(startAuthorizationServer(options));

/** An API that accepts the server's currently valid tokens. */
const guardedBy = (server: AuthorizationServer) =>
  httpSink({
    answer: (request) => ({ status: server.isAuthorized(request) ? 200 : 401, body: request.body }),
  });

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

const relayWith = (...outputs: Staged[]): Promise<TestRelay> =>
  contact({
    outputs: `[${outputs.map(
      ({ type = 'http_post', url, oauth2, more = '' }) =>
        `{type: ${type}, url: "${url}", mapping: "*", oauth2: ${oauth2}${more}}`,
    )}]`,
    env: {
      ID: clientId,
      SECRET: clientSecret,
      REFRESH: refreshToken,
      ...Object.assign({}, ...outputs.map(({ env }) => env)),
    },
  });

const submit = (relay: TestRelay) => relay.submit('contact', [['name', 'Submitted-Name']]);

const authorizations = ({ requests }: HttpSink) => requests.map(({ headers }) => headers.authorization);

/** Checks that the log contains neither tokens, in any form, nor credentials, nor submitted values. */
function expectDiscretion({ logged }: TestRelay, { tokens }: AuthorizationServer) {
  expect(logged).not.toEqual([]);
  const shown = tokens.map((token) => saidFor(token).slice(-60));
  const secrets = [
    clientSecret,
    refreshToken,
    'BEGIN PRIVATE',
    'Submitted-Name',
    'Bearer',
    ...tokens,
    ...shown,
  ];
  for (const word of secrets) expect(JSON.stringify(logged)).not.toContain(word);
}

const reasonOf = ({ logged }: TestRelay) => logged.find(({ event }) => event === 'delivery_failed')?.reason;

/** Chats use their own tokens. */
const overHttp = ['http_post', 'crm_web2lead', 'webhook'];

describe.each(overHttp)('%s', (type) => {
  test('sends a token that the API accepts, and that is shown nowhere', async () => {
    const server = await startServer();
    const api = await guardedBy(server);
    const relay = await relayWith({ type, url: api.origin, oauth2: bySecret(server.tokenUrl) });
    expect((await submit(relay)).status).toBe(200);
    expect(authorizations(api)).toEqual([`Bearer ${server.tokens[0]}`]);
    expect(server.granted).toMatchObject([{ grant: 'client_credentials', scope: 'leads', auth: 'basic' }]);
    expectDiscretion(relay, server);
  });
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
  test('drops the token: the delivery is sent once more with a new one, under the same Idempotency-Key', async () => {
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

  test('to the new token as well is a failure, and there is no third attempt', async () => {
    const server = await startServer();
    const api = await httpSink({ answer: () => ({ status: 401 }) });
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

  test('by another server, which a redirect led to without the token, requests no new token', async () => {
    const server = await startServer();
    const elsewhere = await httpSink({ answer: () => ({ status: 401 }) });
    const api = await httpSink({
      answer: () => ({ status: 307, headers: { location: `${elsewhere.origin}/there` } }),
    });
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

  test('a temporary failure is retried when the server says', async () => {
    const server = await startServer({
      instead: (_, count) => (count === 1 ? { status: 503, headers: { 'retry-after': '3' } } : undefined),
    });
    const api = await guardedBy(server);
    const relay = await relayWith({ url: api.origin, oauth2: bySecret(server.tokenUrl) });
    expect((await submit(relay)).status).toBe(200);
    expect(relay.waited).toEqual([3_000]);
    expect([api.requests.length, server.requests.length]).toEqual([1, 2]);
  });
});

test.each([
  ['client_id', 'grant: client_credentials, token_url: $url, client_id: $unset, client_secret: $secret'],
  ['service_account', 'grant: jwt_bearer, service_account: $unset, scope: leads'],
])('oauth2.%s that renders empty is reported, and no request is made: {%s}', async (key, keys) => {
  const server = await startServer();
  const variables = { unset: 'UNSET', id: 'ID', secret: 'SECRET' };
  const written = keys
    .replace('$url', `"${server.tokenUrl}"`)
    .replaceAll(/\$(\w+)/g, (_, name: keyof typeof variables) => `'{{ env "${variables[name]}" }}'`);
  const relay = await relayWith({
    url: server.origin,
    oauth2: `{${written}}`,
    // White space counts as empty.
    env: { UNSET: ' \n' },
  });
  expect((await submit(relay)).status).toBe(500);
  expect(reasonOf(relay)).toBe(`\`oauth2.${key}\` rendered empty; is its environment variable set?`);
  expect(server.requests).toEqual([]);
});

/** `auth: oauth2` on SMTP outputs, tested with a running relay, real SMTP and real tokens. */

const mailbox = 'forms@firm.example';

/** A mail server that accepts the currently valid tokens of an authorization server. */
async function startMail({ isGood }: AuthorizationServer, options: SmtpSinkOptions = {}) {
  const methods = ['LOGIN', 'XOAUTH2'];
  return smtpSink({ tls: 'starttls', auth: { username: mailbox, isToken: isGood, methods }, ...options });
}

const asMailbox = (tokenUrl: string) =>
  `{grant: client_credentials, token_url: "${tokenUrl}", client_id: '{{ env "ID" }}', client_secret: '{{ env "SECRET" }}', client_auth: post, scope: "https://outlook.office365.com/.default"}`;

interface StagedMail {
  readonly port: number;
  readonly oauth2: string;
  readonly host?: string;
  /** More keys of the output. */
  readonly more?: string;
  readonly env?: Record<string, string>;
  readonly effects?: Partial<Services>;
}

const relayTo = ({ port, oauth2, host = 'localhost', more = '', env, effects = {} }: StagedMail) =>
  contact({
    outputs: `[{type: smtp, host: ${host}, port: ${port}, username: '{{ env "MAILBOX" }}', auth: oauth2, oauth2: ${oauth2}, from: ${mailbox}, to: office@firm.example, mapping: "*"${more}}]`,
    env: { ID: clientId, SECRET: clientSecret, REFRESH: refreshToken, MAILBOX: mailbox, ...env },
    effects,
  });

const saidFor = (token = '') =>
  Buffer.from(`user=${mailbox}\x01auth=Bearer ${token}\x01\x01`).toString('base64');

const offering = (mechanisms: string) => `250-mail.test\r\n250 AUTH ${mechanisms}`;

/** Google and Microsoft refuse a token in two steps: the client must send an empty line before it gets the refusal. */
const refusing = {
  AUTH: '334 ',
  [saidFor(`token-1-${'x'.repeat(40)}`)]: '334 eyJzdGF0dXMiOiI0MDAifQ==',
  [saidFor(`token-2-${'x'.repeat(40)}`)]: '334 eyJzdGF0dXMiOiI0MDAifQ==',
  '': '535 5.7.8 no, token-1 of forms@firm.example',
};

describe('signs in', () => {
  test.each<[string, number]>([
    ['a short token', 40],
    ["one as long as Microsoft's", 2_500],
  ])('as a mailbox of Microsoft 365, with %s', async (_, tokenSize) => {
    const tokens = await startServer({ tokenSize });
    const mail = await startMail(tokens);
    const relay = await relayTo({
      port: mail.port,
      oauth2: asMailbox(tokens.tokenUrl),
      more: ', tls: required',
    });
    expect((await submit(relay)).status).toBe(200);
    expect(mail.mails).toMatchObject([{ user: mailbox, secure: true, envelope: { from: mailbox } }]);
    expect(tokens.granted).toMatchObject([
      { grant: 'client_credentials', auth: 'post', scope: 'https://outlook.office365.com/.default' },
    ]);
    expectDiscretion(relay, tokens);
  });

  test.each<[string, (tokenUrl: string) => Pick<StagedMail, 'oauth2' | 'env'>, object]>([
    [
      'who gave consent once',
      (tokenUrl) => ({
        oauth2: `{grant: refresh_token, token_url: "${tokenUrl}", client_id: '{{ env "ID" }}', client_secret: '{{ env "SECRET" }}', client_auth: post, refresh_token: '{{ env "REFRESH" }}'}`,
      }),
      { grant: 'refresh_token' },
    ],
    [
      'for whom a service account acts',
      (tokenUrl) => ({
        oauth2: `{grant: jwt_bearer, service_account: '{{ env "ACCOUNT" }}', scope: "https://mail.google.com/", subject: ${mailbox}}`,
        env: { ACCOUNT: serviceAccount(tokenUrl) },
      }),
      { claims: { scope: 'https://mail.google.com/', sub: mailbox } },
    ],
  ])('as a user of Gmail %s', async (_, oauth2, granted) => {
    const tokens = await startServer({ tokenSize: 200 });
    const auth = { username: mailbox, isToken: tokens.isGood, methods: ['LOGIN', 'PLAIN', 'XOAUTH2'] };
    const mail = await startMail(tokens, { auth });
    const relay = await relayTo({ port: mail.port, ...oauth2(tokens.tokenUrl) });
    expect((await submit(relay)).status).toBe(200);
    expect(mail.mails).toMatchObject([{ user: mailbox, secure: true }]);
    expect(tokens.granted).toMatchObject([granted]);
    expectDiscretion(relay, tokens);
  });

  // RFC 4954, 4, and RFC 5321, 4.5.3.1.4: a command has at most 512 characters, and tokens are longer.
  test('when the server asks', async () => {
    const tokens = await startServer({ tokenSize: 2_500 });
    const said = saidFor(`token-1-${'x'.repeat(2_500)}`);
    const script = await smtpScript({
      EHLO: offering('XOAUTH2'),
      AUTH: '334 ',
      [said]: '235 2.7.0 welcome',
    });
    const relay = await relayTo({ port: script.port, oauth2: asMailbox(tokens.tokenUrl) });
    expect((await submit(relay)).status).toBe(200);
    const toMail = script.commands.findIndex((line) => line.startsWith('MAIL'));
    expect(script.commands.slice(1, toMail)).toEqual(['AUTH XOAUTH2', said]);
  });
});

describe('a token', () => {
  test('that the server refuses is dropped, and there is one more attempt with a new one', async () => {
    const tokens = await startServer();
    const script = await smtpScript({
      EHLO: offering('LOGIN XOAUTH2'),
      ...refusing,
      [saidFor(`token-2-${'x'.repeat(40)}`)]: '235 2.7.0 welcome',
    });
    const relay = await relayTo({ port: script.port, oauth2: asMailbox(tokens.tokenUrl) });
    expect((await submit(relay)).status).toBe(200);
    expect(script.commands.filter((line) => !/^(EHLO|RCPT|\.|QUIT)/.test(line))).toEqual([
      'AUTH XOAUTH2',
      saidFor(tokens.tokens[0]),
      '',
      'AUTH XOAUTH2',
      saidFor(tokens.tokens[1]),
      `MAIL FROM:<${mailbox}>`,
      'DATA',
    ]);
    expect(tokens.tokens).toHaveLength(2);
    expectDiscretion(relay, tokens);
  });

  test('that was withdrawn is replaced, after a real server’s refusal', async () => {
    const tokens = await startServer();
    const mail = await startMail(tokens);
    let now = Date.now();
    const smtp = createSmtpClient({ ca, now: () => now });
    const relay = await relayTo({
      port: mail.port,
      oauth2: asMailbox(tokens.tokenUrl),
      effects: { smtp },
    });
    await submit(relay);
    tokens.revoke();
    // A connection signed in with the old token is not trusted that long.
    now += 10_000;
    expect((await submit(relay)).status).toBe(200);
    expect([mail.mails.length, tokens.tokens.length]).toEqual([2, 2]);
    expectDiscretion(relay, tokens);
    tokens.revoke();
    now += 10_000;
    const answers = await Promise.all(Array.from({ length: 10 }, () => submit(relay)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(mail.mails).toHaveLength(12);
  });
});

describe('never', () => {
  test.each([
    ['PLAIN LOGIN', ', only PLAIN, LOGIN'],
    ['CRAM-MD5 NTLM office@firm.example', ', only CRAM-MD5, NTLM'],
    ['', ''],
  ])('is a token a password (AUTH %s)', async (mechanisms, only) => {
    const tokens = await startServer();
    const script = await smtpScript({ EHLO: mechanisms ? offering(mechanisms) : '250 mail.test' });
    const relay = await relayTo({ port: script.port, oauth2: asMailbox(tokens.tokenUrl) });
    expect((await submit(relay)).status).toBe(500);
    expect(reasonOf(relay)).toBe(`\`auth: oauth2\` is set and the server offers no AUTH XOAUTH2${only}`);
    expect(script.commands.filter((line) => line !== 'QUIT')).toHaveLength(1);
  });

  test.each(['mail.test', '192.0.2.1'])('does it go in the clear to %s', async (host) => {
    const tokens = await startServer();
    const script = await smtpScript({ EHLO: offering('XOAUTH2'), AUTH: '235 2.7.0 welcome' });
    const smtp = createSmtpClient({
      connect: (to) => net.connect({ ...to, port: script.port, host: '127.0.0.1' }),
    });
    const relay = await relayTo({
      host,
      port: 587,
      oauth2: asMailbox(tokens.tokenUrl),
      effects: { smtp },
    });
    expect((await submit(relay)).status).toBe(500);
    expect(reasonOf(relay)).toBe(
      'the access token is not sent unencrypted, and the server does not offer STARTTLS (try port 465 or tls: implicit)',
    );
    expect(script.commands.filter((line) => line !== 'QUIT')).toEqual([expect.stringMatching(/^EHLO /)]);
    expect(script.wire).not.toContain(saidFor(tokens.tokens[0]));
  });
});
