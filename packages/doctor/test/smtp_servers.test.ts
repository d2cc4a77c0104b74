import {
  type AuthorizationServerOptions,
  clientId,
  clientSecret,
  startAuthorizationServer,
} from '../../../test/support/authorization_server.ts';
import { type ClientError, failed } from '../../../test/support/failed.ts';
import { type Book, type SmtpSinkOptions, smtpScript, smtpSink } from '../../../test/support/index.ts';
import { createSmtpConnect } from '../../clients/src/probes/smtp.ts';
import { diagnose, formWith, like } from './stage.ts';

const login = { username: '{{ env "SMTP_USERNAME" }}', password: '{{ env "SMTP_PASSWORD" }}' };
const env = { SMTP_USERNAME: 'relay', SMTP_PASSWORD: 'hunter2' };
const auth = { username: 'relay', password: 'hunter2' };

const smtp = (port: number, keys: object = {}) =>
  formWith(
    JSON.stringify([{ type: 'smtp', host: '127.0.0.1', port, to: 'a@a.example', mapping: '*', ...keys }]),
  );

const tls: SmtpSinkOptions = { tls: 'starttls', auth };
const offering = (method: 'LOGIN' | 'XOAUTH2'): SmtpSinkOptions => ({
  ...tls,
  auth: { ...auth, methods: [method] },
});
const refused = /^failure .*authentication refused: 535 5\.7\.8 .* -> Check SMTP_USERNAME and SMTP_PASSWORD/;
const noTls =
  /^failure .*the server does not offer STARTTLS, and tls is "required" .* -> Use a port with TLS/;
const noPlain = /^failure .*the server offers no AUTH PLAIN, only LOGIN .* -> Set auth: login\.$/;
const tokensOnly =
  /^failure .*the server offers no AUTH PLAIN, only XOAUTH2 .* -> Use an `auth` that the server offers/;
const unset =
  /^failure .*with TLS.*AUTH was not tried: password is empty.*\(forms\.contact\.outputs\[0\]\) -> Set SMTP_USERNAME and SMTP_PASSWORD/;

test.each<[SmtpSinkOptions, keys: object, env: Readonly<Record<string, string>>, RegExp]>([
  [tls, login, env, /^ok .*with TLS \(certificate until 2126-10-27\), AUTH accepted; no mail/],
  [{}, {}, {}, /^ok .*without TLS, no AUTH configured; no mail was sent$/],
  [tls, login, { ...env, SMTP_PASSWORD: 'wrong' }, refused],
  [{}, { tls: 'required' }, {}, noTls],
  [offering('LOGIN'), login, env, noPlain],
  [offering('LOGIN'), { ...login, auth: 'login' }, env, /^ok .*with TLS.*, AUTH accepted; no mail/],
  [offering('XOAUTH2'), login, env, tokensOnly],
  [tls, login, { SMTP_USERNAME: 'relay' }, unset],
])('a server of %o, an output with %o, the variables %o', async (sinkOptions, keys, env, expected) => {
  const sink = await smtpSink(sinkOptions);
  const lines = await diagnose('SMTP servers', smtp(sink.port, keys), { env });
  expect(lines).toEqual(like(expected));
  expect(lines[0]).toContain(` 127.0.0.1:${sink.port}: `);
  expect(lines.join()).not.toContain('hunter2');
  expect(sink.mails).toEqual([]);
  await expect.poll(sink.openConnections).toBe(0);
});

const busy = { EHLO: '250-mail.test\r\n250 STARTTLS', STARTTLS: '454 4.7.0 not now' };
const implicit = '…If port … uses TLS from the start, set tls: implicit.$';

test.each<[Book, string]>([
  [
    { greeting: 'HTTP/1.1 400 Bad Request' },
    '…the response is not SMTP … -> Check that 127.0.0.1 speaks SMTP',
  ],
  [{ greeting: '554 5.7.1 go away' }, '…refused the connection: 554 5.7.1 … -> Ask the operator of'],
  [{ greeting: (socket) => socket.end() }, `…before the server greeted … -> Ask the operator of ${implicit}`],
  [busy, '…the server refused STARTTLS: 454 4.7.0 … -> This may be temporary: try again later.'],
])('a server like %j', async (book, expected) => {
  const script = await smtpScript(book);
  expect(await diagnose('SMTP servers', smtp(script.port))).toEqual(like(expected));
});

test('a username that would break the login', async () => {
  const script = await smtpScript({ EHLO: '250-mail.test\r\n250 AUTH PLAIN' });
  const broken = { ...env, SMTP_USERNAME: 'relay\0admin' };
  const [said = ''] = await diagnose('SMTP servers', smtp(script.port, login), { env: broken });
  expect(said).toMatch(
    /`username` contains a control character.* -> Correct SMTP_USERNAME and SMTP_PASSWORD\.$/,
  );
  expect(said).not.toContain('admin');
});

test('a server with a certificate that no known authority signed', async () => {
  const { port } = await smtpSink({ tls: 'starttls' });
  expect(await diagnose('SMTP servers', smtp(port), { connectSmtp: createSmtpConnect() })).toEqual(
    like(/certificate not trusted: .* -> .*NODE_EXTRA_CA_CERTS/),
  );
});

test('an unreachable server', async () => {
  const { port, close } = await smtpSink();
  await close();
  expect(await diagnose('SMTP servers', smtp(port))).toEqual(
    like(/ECONNREFUSED .* -> Port \d+ .* is closed/),
  );
});

const session =
  (isSecure: boolean, days = 90) =>
  async () => ({
    isSecure,
    certificateUntil: isSecure ? Date.now() + days * 86_400_000 : undefined,
  });
const refusing = (reason: ClientError) => async () => {
  throw reason;
};

const silent = failed('timed_out', { timeoutMs: 8_000 });
const leaving = failed('closed', { reply: '421 4.3.2' }, { retryAfterMs: 0 });

test.each([
  ['mail in the clear', session(false), 'warning …Submissions are sent unencrypted … -> '],
  ['a certificate that ends soon', session(true, 13), 'warning …The certificate expires soon … -> '],
  [
    'a silent server',
    refusing(silent),
    'failure mail.example:2525: no complete response within 8000 ms … -> A firewall',
  ],
  [
    'a server that goes away',
    refusing(leaving),
    'failure …the connection closed: 421 4.3.2 … -> This may be temporary: …ask',
  ],
])('%s', async (_, connectSmtp, expected) => {
  const config = smtp(2525, { host: 'mail.example' });
  expect(await diagnose('SMTP servers', config, { connectSmtp })).toEqual(like(expected));
});

/** `auth: oauth2`: whether the relay gets a token, and whether the mail server accepts it. */

const mailbox = 'forms@firm.example';
const envSmtpTokens = { ID: clientId, SECRET: clientSecret, MAILBOX: mailbox };

async function stage(options?: AuthorizationServerOptions, auth?: SmtpSinkOptions['auth']) {
  const tokens = await startAuthorizationServer(options);
  const sink = await smtpSink({
    tls: 'starttls',
    auth: { username: mailbox, isToken: tokens.isGood, methods: ['LOGIN', 'XOAUTH2'], ...auth },
  });
  onTestFinished(tokens.close);
  return { tokens, sink, tokenHost: new URL(tokens.origin).host };
}

const smtpSmtpTokens = (port: number, tokenUrl: string, host = '127.0.0.1', more = '') =>
  formWith(
    `[{type: smtp, host: ${host}, port: ${port}, username: '{{ env "MAILBOX" }}', auth: oauth2, from: ${mailbox}, to: a@a.example, mapping: "*", oauth2: {grant: client_credentials, token_url: "${tokenUrl}", client_id: '{{ env "ID" }}', client_secret: '{{ env "SECRET" }}'}${more}}]`,
  );

const byPassword = (host: string) =>
  formWith(
    `[{type: smtp, host: ${host}, username: '{{ env "MAILBOX" }}', password: '{{ env "SECRET" }}', to: a@a.example, mapping: "*"}]`,
  );

test('the doctor requests a token, and the mail server accepts it', async () => {
  const { tokens, sink, tokenHost } = await stage();
  const said = await diagnose('SMTP servers', smtpSmtpTokens(sink.port, tokens.tokenUrl), {
    env: envSmtpTokens,
  });
  expect(said).toEqual([
    `ok tokens of ${tokenHost}: issued a token for 60 min`,
    `ok 127.0.0.1:${sink.port}: connected with TLS (certificate until 2126-10-27), AUTH accepted; no mail was sent`,
  ]);
  expect([tokens.requests.length, sink.mails.length]).toEqual([1, 0]);
  for (const word of [clientSecret, ...tokens.tokens]) expect(said.join()).not.toContain(word);
  await expect.poll(sink.openConnections).toBe(0);
});

test('if the authorization server gives no token, the mail server is still examined', async () => {
  const { tokens, sink } = await stage();
  const config = smtpSmtpTokens(sink.port, tokens.tokenUrl);
  expect(await diagnose('SMTP servers', config, { env: { ...envSmtpTokens, SECRET: 'wrong' } })).toEqual(
    like(
      /^failure tokens of .*answered invalid_client \(.*outputs\[0\]\) -> Check client_id/,
      /^ok 127.*: connected with TLS .*; AUTH was not tried, because there is no token$/,
    ),
  );
});

test('the mail server rejects the token', async () => {
  const { tokens, sink } = await stage();
  const config = smtpSmtpTokens(sink.port, tokens.tokenUrl);
  const said = await diagnose('SMTP servers', config, {
    env: { ...envSmtpTokens, MAILBOX: 'other@firm.example' },
  });
  expect(said).toEqual(
    like(
      /^ok tokens of /,
      /^failure 127.*: authentication refused: 535 \(.* -> Check that scope allows sending mail by SMTP/,
    ),
  );
});

test('the mail server accepts only passwords', async () => {
  const { tokens, sink } = await stage({}, { username: mailbox, methods: ['PLAIN', 'LOGIN'] });
  expect(
    await diagnose('SMTP servers', smtpSmtpTokens(sink.port, tokens.tokenUrl), {
      env: envSmtpTokens,
    }),
  ).toEqual(
    like(
      /^ok tokens of /,
      /offers no AUTH XOAUTH2, only (PLAIN, LOGIN|LOGIN, PLAIN) .* -> This server accepts only passwords/,
    ),
  );
});

const lastOf = async (config: string, stage: Parameters<typeof diagnose>[2]) =>
  (await diagnose('SMTP servers', config, stage)).at(-1);

test.each([
  ['smtp.office365.com', '535 5.7.3', /SMTP\.SendAsApp.*New-ServicePrincipal.*Add-MailboxPermission/],
  ['smtp.office365.com', '535 5.7.139', /Authenticated SMTP.*Set-CASMailbox/],
  ['smtp.gmail.com', '535 5.7.8', /scope must be https:\/\/mail\.google\.com\//],
  ['mail.example', '535 5.7.8', /Check that scope/],
])('the remedy if %s rejects a token with %s', async (host, reply, expected) => {
  const { tokens } = await stage();
  const connectSmtp = () => Promise.reject(failed('login_refused', { reply, isToken: true }));
  const said = await lastOf(smtpSmtpTokens(587, tokens.tokenUrl, host), {
    env: envSmtpTokens,
    connectSmtp,
  });
  expect(said?.split(' -> ')[1]).toMatch(expected);
});

test.each([
  [
    'smtp.office365.com',
    '535 5.7.139',
    'Microsoft 365 requires OAuth: add auth: oauth2 and an oauth2 block, as in relay init --mail. If passwords are still allowed, check MAILBOX and SECRET.',
  ],
  [
    'mail.example',
    '535 5.7.8',
    "Check MAILBOX and SECRET. Some providers require an app password or an API key instead of the account's password.",
  ],
])('the remedy if %s rejects a password with %s', async (host, reply, expected) => {
  const connectSmtp = () => Promise.reject(failed('login_refused', { reply, isToken: false }));
  const said = await lastOf(byPassword(host), {
    env: envSmtpTokens,
    connectSmtp,
  });
  expect(said).toMatch(/^failure /);
  expect(said?.split(' -> ')[1]).toBe(expected);
});
