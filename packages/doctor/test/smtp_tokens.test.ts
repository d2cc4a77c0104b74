/** `auth: oauth2`: is there a token, and does the mail server take it? */

import { afterEach, expect, test } from 'vitest';
import {
  type AuthorizationServerOptions,
  clientId,
  clientSecret,
  startAuthorizationServer,
} from '../../../test/support/authorization_server.ts';
import { failed } from '../../../test/support/failed.ts';
import { type SmtpSinkOptions, startSmtpSink } from '../../../test/support/smtp_sink.ts';
import { examineServers } from '../src/servers.ts';
import { diagnose, formWith } from './stage.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const mailbox = 'forms@firm.example';
const env = { ID: clientId, SECRET: clientSecret, MAILBOX: mailbox };

async function stage(options?: AuthorizationServerOptions, auth?: SmtpSinkOptions['auth']) {
  const tokens = await startAuthorizationServer(options);
  const sink = await startSmtpSink({
    tls: 'starttls',
    auth: { username: mailbox, isToken: tokens.isGood, methods: ['LOGIN', 'XOAUTH2'], ...auth },
  });
  cleanups.push(tokens.close, sink.close);
  return { tokens, sink, tokenHost: new URL(tokens.origin).host };
}

const smtp = (port: number, tokenUrl: string, host = '127.0.0.1', more = '') =>
  formWith(
    `[{type: smtp, host: ${host}, port: ${port}, username: '{{ env "MAILBOX" }}', auth: oauth2, from: ${mailbox}, to: a@a.example, mapping: "*", oauth2: {grant: client_credentials, token_url: "${tokenUrl}", client_id: '{{ env "ID" }}', client_secret: '{{ env "SECRET" }}'}${more}}]`,
  );

const byPassword = (host: string) =>
  formWith(
    `[{type: smtp, host: ${host}, username: '{{ env "MAILBOX" }}', password: '{{ env "SECRET" }}', to: a@a.example, mapping: "*"}]`,
  );

test('the doctor requests a token, and the mail server takes it', async () => {
  const { tokens, sink, tokenHost } = await stage();
  const said = await diagnose(examineServers('smtp'), smtp(sink.port, tokens.tokenUrl), { env });
  expect(said).toEqual([
    `ok tokens of ${tokenHost}: gave a token for 60 min`,
    `ok 127.0.0.1:${sink.port}: connected with TLS (certificate until 2126-10-27), AUTH accepted; no mail was begun`,
  ]);
  expect([tokens.requests.length, sink.mails.length]).toEqual([1, 0]);
  for (const word of [clientSecret, ...tokens.tokens]) expect(said.join()).not.toContain(word);
  await expect.poll(sink.openConnections).toBe(0);
});

test('the authorization server gives none: the mail server is still looked at', async () => {
  const { tokens, sink } = await stage();
  const config = smtp(sink.port, tokens.tokenUrl);
  expect(await diagnose(examineServers('smtp'), config, { env: { ...env, SECRET: 'wrong' } })).toEqual([
    expect.stringMatching(
      /^failure tokens of .*answered invalid_client \(.*outputs\[0\]\) -> Check client_id/,
    ),
    expect.stringMatching(/^ok 127.*: connected with TLS .*; AUTH was not tried, since there is no token$/),
  ]);
});

test('the mail server refuses it', async () => {
  const { tokens, sink } = await stage();
  const config = smtp(sink.port, tokens.tokenUrl);
  const said = await diagnose(examineServers('smtp'), config, {
    env: { ...env, MAILBOX: 'other@firm.example' },
  });
  expect(said).toEqual([
    expect.stringMatching(/^ok tokens of /),
    expect.stringMatching(
      /^failure 127.*: authentication refused: 535 \(.* -> Check that scope lets the token send mail/,
    ),
  ]);
});

test('the mail server only takes passwords', async () => {
  const { tokens, sink } = await stage({}, { username: mailbox, methods: ['PLAIN', 'LOGIN'] });
  expect(await diagnose(examineServers('smtp'), smtp(sink.port, tokens.tokenUrl), { env })).toEqual([
    expect.stringMatching(/^ok tokens of /),
    expect.stringMatching(
      /offers no AUTH XOAUTH2, only (PLAIN, LOGIN|LOGIN, PLAIN) .* -> This server takes passwords alone/,
    ),
  ]);
});

test.each([
  ['smtp.office365.com', '535 5.7.3', /SMTP\.SendAsApp.*New-ServicePrincipal.*Add-MailboxPermission/],
  ['smtp.office365.com', '535 5.7.139', /Authenticated SMTP.*Set-CASMailbox/],
  ['smtp.gmail.com', '535 5.7.8', /scope must be https:\/\/mail\.google\.com\//],
  ['mail.example', '535 5.7.8', /Check that scope/],
])('the remedy where %s refuses it with %s', async (host, reply, expected) => {
  const { tokens } = await stage();
  const connectSmtp = () => Promise.reject(failed('login_refused', { reply, isToken: true }));
  const [, said] = await diagnose(examineServers('smtp'), smtp(587, tokens.tokenUrl, host), {
    env,
    connectSmtp,
  });
  expect(said?.split(' -> ')[1]).toMatch(expected);
});

test.each([
  [
    'smtp.office365.com',
    '535 5.7.139',
    'Microsoft 365 wants OAuth: write auth: oauth2 and an oauth2 block, as relay init --mail shows it. Where passwords are still allowed: Check MAILBOX and SECRET.',
  ],
  [
    'mail.example',
    '535 5.7.8',
    "Check MAILBOX and SECRET. Some providers want an app password or an API key instead of the account's password.",
  ],
])('the remedy where %s refuses a password with %s', async (host, reply, expected) => {
  const connectSmtp = () => Promise.reject(failed('login_refused', { reply, isToken: false }));
  const [said] = await diagnose(examineServers('smtp'), byPassword(host), { env, connectSmtp });
  expect(said).toMatch(/^failure /);
  expect(said?.split(' -> ')[1]).toBe(expected);
});
