import { expect, test } from 'vitest';
import { examineMailLogins } from '../src/mail_logins.ts';
import { diagnose, formWith } from './stage.ts';

const smtp = (host: string, keys: object = {}) =>
  formWith(JSON.stringify([{ type: 'smtp', host, to: 'a@a.example', mapping: '*', ...keys }]));

const login = { username: '{{ env "SMTP_USERNAME" }}', password: '{{ env "SMTP_PASSWORD" }}' };
const shown = (username: string, password: string) => ({ SMTP_USERNAME: username, SMTP_PASSWORD: password });
const oauth2 = {
  grant: 'client_credentials',
  token_url: 'https://login.microsoftonline.com/x/oauth2/v2.0/token',
  client_id: 'x',
  client_secret: '{{ env "MS_CLIENT_SECRET" }}',
};

test.each<[string, string, object, Readonly<Record<string, string>>, RegExp]>([
  [
    'an app password, as it is shown and as it is meant',
    'smtp.gmail.com',
    login,
    shown('ann@gmail.com', 'abcd efgh ijkl mnop'),
    /^ok Gmail: wants your address as username, and an app password, or OAuth$/,
  ],
  [
    'a password for Microsoft',
    'smtp.office365.com',
    login,
    shown('ann@firm.example', 'hunter2'),
    /^warning Microsoft 365: it is shown a password.* -> Microsoft 365 wants OAuth: relay init --mail microsoft365/,
  ],
  [
    'a token for Microsoft',
    'smtp.office365.com',
    { username: 'ann@firm.example', auth: 'oauth2', oauth2 },
    {},
    /^ok Microsoft 365: wants the address of the mailbox as username, and OAuth$/,
  ],
  ['SendGrid in the EU', 'smtp.eu.sendgrid.net', login, shown('apikey', 'SG.hunter2'), /^ok SendGrid/],
  [
    'nothing in the environment',
    'smtp.fastmail.com',
    login,
    {},
    /^warning Fastmail: the username or the password is empty .* -> Fastmail wants .*an app password: /,
  ],
  ['no login at all', 'ssl0.ovh.net', {}, {}, /^warning OVH: there is no username, and it takes no mail/],
  [
    'the relay of Google Workspace by IP address',
    'smtp-relay.gmail.com',
    {},
    { SMTP_EHLO_NAME: 'forms.firm.example' },
    /^ok Google Workspace relay/,
  ],
  [
    'the relay of Google Workspace without a name',
    'smtp-relay.gmail.com',
    {},
    {},
    /^warning Google Workspace relay: without SMTP_EHLO_NAME, .*421 4\.7\.0.* -> Set it to a name/,
  ],
])('%s', async (_, host, keys, env, expected) => {
  const lines = await diagnose(examineMailLogins, smtp(host, keys), { env });
  expect(lines).toEqual([expect.stringMatching(expected)]);
  expect(lines.join()).not.toMatch(/hunter2|wJalr|key-0/);
});

test.each([
  'firm-example.mail.protection.outlook.com',
  'firm-example.k-v1.mx.microsoft',
  'aspmx.l.google.com',
  'alt1.aspmx.l.google.com',
  'smtp.google.com',
])('%s takes mail for its own customers, and wants no login', async (host) => {
  expect(await diagnose(examineMailLogins, smtp(host))).toEqual([]);
});

test('the doctor knows nothing of a server of one’s own', async () => {
  expect(await diagnose(examineMailLogins, smtp('mail.firm.example'))).toEqual([]);
});
