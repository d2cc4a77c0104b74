/** `auth: oauth2` on SMTP outputs, through the front door: a relay that runs, real SMTP and real tokens. */

import net from 'node:net';
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
import { ca } from '../../../test/support/certificates.ts';
import { startRelay, type TestRelay } from '../../../test/support/relay.ts';
import { type Book, startSmtpScript } from '../../../test/support/smtp_script.ts';
import { type SmtpSinkOptions, startSmtpSink } from '../../../test/support/smtp_sink.ts';
import { createSmtpClient } from '../../clients/src/smtp/smtp_client.ts';
import type { Services } from '../../core/src/services.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const mailbox = 'forms@firm.example';

async function startTokens(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const server = await startAuthorizationServer(options);
  cleanups.push(server.close);
  return server;
}

/** A mail server that takes tokens of an authorization server that are good now. */
async function startMail({ isGood }: AuthorizationServer, options: SmtpSinkOptions = {}) {
  const methods = ['LOGIN', 'XOAUTH2'];
  const sink = await startSmtpSink({
    tls: 'starttls',
    auth: { username: mailbox, isToken: isGood, methods },
    ...options,
  });
  cleanups.push(sink.close);
  return sink;
}

async function startScript(book: Book) {
  const script = await startSmtpScript(book);
  cleanups.push(script.close);
  return script;
}

const bySecret = (tokenUrl: string) =>
  `{grant: client_credentials, token_url: "${tokenUrl}", client_id: '{{ env "ID" }}', client_secret: '{{ env "SECRET" }}', client_auth: post, scope: "https://outlook.office365.com/.default"}`;

interface Staged {
  readonly port: number;
  readonly oauth2: string;
  readonly host?: string;
  /** More keys of the output. */
  readonly more?: string;
  readonly env?: Record<string, string>;
  readonly effects?: Partial<Services>;
}

async function relayTo({ port, oauth2, host = 'localhost', more = '', env, effects = {} }: Staged) {
  const relay = await startRelay({
    config: `forms:
  contact:
    fields: [{name: name}]
    outputs:
      - {type: smtp, host: ${host}, port: ${port}, username: '{{ env "MAILBOX" }}', auth: oauth2, oauth2: ${oauth2}, from: ${mailbox}, to: office@firm.example, mapping: "*"${more}}
`,
    env: { ID: clientId, SECRET: clientSecret, REFRESH: refreshToken, MAILBOX: mailbox, ...env },
    effects,
  });
  cleanups.push(relay.close);
  return relay;
}

const submit = (relay: TestRelay) => relay.submit('contact', [['name', 'Submitted-Name']]);

/** Neither tokens, in whatever form, nor the credentials for them, nor submitted values. */
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

const saidFor = (token = '') =>
  Buffer.from(`user=${mailbox}\x01auth=Bearer ${token}\x01\x01`).toString('base64');

const offering = (mechanisms: string) => `250-mail.test\r\n250 AUTH ${mechanisms}`;

/** As Google and Microsoft refuse a token: the client must say an empty line before it hears of it. */
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
    const tokens = await startTokens({ tokenSize });
    const mail = await startMail(tokens);
    const relay = await relayTo({
      port: mail.port,
      oauth2: bySecret(tokens.tokenUrl),
      more: ', tls: required',
    });
    expect((await submit(relay)).status).toBe(200);
    expect(mail.mails).toMatchObject([{ user: mailbox, secure: true, envelope: { from: mailbox } }]);
    expect(tokens.granted).toMatchObject([
      { grant: 'client_credentials', auth: 'post', scope: 'https://outlook.office365.com/.default' },
    ]);
    expectDiscretion(relay, tokens);
  });

  test.each<[string, (tokenUrl: string) => Pick<Staged, 'oauth2' | 'env'>, object]>([
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
    const tokens = await startTokens({ tokenSize: 200 });
    const auth = { username: mailbox, isToken: tokens.isGood, methods: ['LOGIN', 'PLAIN', 'XOAUTH2'] };
    const mail = await startMail(tokens, { auth });
    const relay = await relayTo({ port: mail.port, ...oauth2(tokens.tokenUrl) });
    expect((await submit(relay)).status).toBe(200);
    expect(mail.mails).toMatchObject([{ user: mailbox, secure: true }]);
    expect(tokens.granted).toMatchObject([granted]);
    expectDiscretion(relay, tokens);
  });

  // RFC 4954, 4, and RFC 5321, 4.5.3.1.4: a command has 512 characters at most, which tokens exceed.
  test('when the server asks', async () => {
    const tokens = await startTokens({ tokenSize: 2_500 });
    const said = saidFor(`token-1-${'x'.repeat(2_500)}`);
    const script = await startScript({
      EHLO: offering('XOAUTH2'),
      AUTH: '334 ',
      [said]: '235 2.7.0 welcome',
    });
    const relay = await relayTo({ port: script.port, oauth2: bySecret(tokens.tokenUrl) });
    expect((await submit(relay)).status).toBe(200);
    const toMail = script.commands.findIndex((line) => line.startsWith('MAIL'));
    expect(script.commands.slice(1, toMail)).toEqual(['AUTH XOAUTH2', said]);
  });
});

describe('a token', () => {
  test('that the server refuses is dropped: there is one more try, with a new one', async () => {
    const tokens = await startTokens();
    const script = await startScript({
      EHLO: offering('LOGIN XOAUTH2'),
      ...refusing,
      [saidFor(`token-2-${'x'.repeat(40)}`)]: '235 2.7.0 welcome',
    });
    const relay = await relayTo({ port: script.port, oauth2: bySecret(tokens.tokenUrl) });
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

  test('that was withdrawn is replaced, by a real server’s refusal', async () => {
    const tokens = await startTokens();
    const mail = await startMail(tokens);
    let now = Date.now();
    const smtp = createSmtpClient({ ca, now: () => now });
    const relay = await relayTo({ port: mail.port, oauth2: bySecret(tokens.tokenUrl), effects: { smtp } });
    await submit(relay);
    tokens.revoke();
    // A connection that was signed in with it is not trusted for so long.
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

  test('that is refused twice is a failure, and nothing is tried a third time', async () => {
    const tokens = await startTokens();
    const script = await startScript({
      EHLO: offering('XOAUTH2'),
      ...refusing,
    });
    const relay = await relayTo({
      port: script.port,
      oauth2: bySecret(tokens.tokenUrl),
      more: ', retries: 5',
    });
    expect((await submit(relay)).status).toBe(500);
    expect([script.accepted, tokens.tokens.length]).toEqual([2, 2]);
    expect(reasonOf(relay)).toBe('authentication refused: 535 5.7.8');
    expect(script.commands.filter((line) => line.startsWith('MAIL'))).toEqual([]);
    expectDiscretion(relay, tokens);
  });

  test('is not there: nothing is said to the mail server, and the log says why', async () => {
    const tokens = await startTokens();
    const script = await startScript({ EHLO: offering('XOAUTH2') });
    const env = { SECRET: 'wr0ng-s3cret' };
    const relay = await relayTo({ port: script.port, oauth2: bySecret(tokens.tokenUrl), env });
    expect((await submit(relay)).status).toBe(500);
    expect(script.accepted).toBe(0);
    expect(reasonOf(relay)).toMatch(/^no access token: the authorization server answered invalid_client/);
    expect(JSON.stringify(relay.logged)).not.toContain('wr0ng');
  });
});

describe('never', () => {
  test.each([
    ['PLAIN LOGIN', ', only PLAIN, LOGIN'],
    ['CRAM-MD5 NTLM office@firm.example', ', only CRAM-MD5, NTLM'],
    ['', ''],
  ])('is a token a password (AUTH %s)', async (mechanisms, only) => {
    const tokens = await startTokens();
    const script = await startScript({ EHLO: mechanisms ? offering(mechanisms) : '250 mail.test' });
    const relay = await relayTo({ port: script.port, oauth2: bySecret(tokens.tokenUrl) });
    expect((await submit(relay)).status).toBe(500);
    expect(reasonOf(relay)).toBe(`\`auth: oauth2\` is set and the server offers no AUTH XOAUTH2${only}`);
    expect(script.commands.filter((line) => line !== 'QUIT')).toHaveLength(1);
  });

  test.each(['mail.test', '192.0.2.1'])('does it go in the clear to %s', async (host) => {
    const tokens = await startTokens();
    const script = await startScript({ EHLO: offering('XOAUTH2'), AUTH: '235 2.7.0 welcome' });
    const smtp = createSmtpClient({
      connect: (to) => net.connect({ ...to, port: script.port, host: '127.0.0.1' }),
    });
    const relay = await relayTo({ host, port: 587, oauth2: bySecret(tokens.tokenUrl), effects: { smtp } });
    expect((await submit(relay)).status).toBe(500);
    expect(reasonOf(relay)).toBe(
      'the access token is not sent in the clear, and the server offers no STARTTLS (port 465 or tls: implicit may do)',
    );
    expect(script.commands.filter((line) => line !== 'QUIT')).toEqual([expect.stringMatching(/^EHLO /)]);
    expect(script.wire).not.toContain(saidFor(tokens.tokens[0]));
  });
});
