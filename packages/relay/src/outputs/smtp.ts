import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import * as v from 'valibot';
import { addressOf } from '../base/address.ts';
import { failed } from '../base/client_error.ts';
import type { Correspondents, Mailbox } from '../base/effects.ts';
import { other } from '../base/unicode.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { wrong } from '../schema/issue.ts';
import { optional, required, withDefault } from '../schema/keys.ts';
import { choice, number, template, text } from '../schema/kinds.ts';
import type { Scope, Template } from '../schema/template/render.ts';
import { letterhead } from '../transports/mail/mail_headers.ts';
import type { OAuth2 } from '../transports/oauth2/token_request.ts';
import { type DkimTarget, type SmtpMessage, smtpTarget } from '../transports/smtp/smtp_transport.ts';
import type { MailContent } from '../transports/transport.ts';
import { oauth2 } from './http_outputs.ts';
import {
  dkim,
  type FixedRecipients,
  fileFieldsIn,
  fixedRecipients,
  fromKey,
  mailKeys,
  mailOf,
  mailProblems,
  mailWarnings,
  takesFile,
} from './mail_outputs.ts';
import { outputType } from './output.ts';

export const loginKeys = {
  username: optional(
    'With it, the relay authenticates with SMTP PLAIN: over TLS, or in the clear to a loopback address.',
    template(),
  ),
  password: optional('Usually `{{ env "SMTP_PASSWORD" }}`.', template()),
  auth: withDefault(
    'plain',
    'How the relay authenticates as `username`: with SMTP PLAIN, with `login` for a server that offers LOGIN and not PLAIN, or with an access token instead of a password (`oauth2`).',
    choice(['plain', 'login', 'oauth2']),
  ),
  oauth2: optional(
    'With `auth: oauth2`: asks an authorization server for the access token, and authenticates with XOAUTH2, or with OAUTHBEARER where the server offers that alone.',
    oauth2,
  ),
};

export interface Login {
  readonly username?: Template | undefined;
  readonly password?: Template | undefined;
  readonly auth: 'plain' | 'login' | 'oauth2';
  readonly oauth2?: OAuth2 | undefined;
}

/** A token replaces the password; visitors must not choose the user. */
export function loginProblems({ username, password, auth, oauth2 }: Partial<Login>): readonly Finding[] {
  const problems: Finding[] = [];
  if (auth === 'oauth2') {
    if (!username) problems.push(finding('auth_without_username', ['auth'], { auth }));
    if (!oauth2) problems.push(finding('auth_without_oauth2', ['auth']));
    if (username?.isSubmitted) problems.push(finding('oauth2_submitted', ['username']));
    if (password) problems.push({ ...finding('oauth2_with_password', ['password']), aboutKey: true });
    return problems;
  }
  if (auth === 'login' && !username) problems.push(finding('auth_without_username', ['auth'], { auth }));
  const isKnown = auth === 'plain' || auth === 'login';
  if (isKnown && oauth2) problems.push({ ...finding('oauth2_without_auth', ['oauth2']), aboutKey: true });
  return problems;
}

export const loginJsonSchema = {
  if: { properties: { auth: { const: 'oauth2' } }, required: ['auth'] },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
  then: { required: ['username', 'oauth2'], properties: { password: false } },
  else: { properties: { oauth2: false } },
};

export function loginWarnings({ username, password, auth }: Login): readonly Finding[] {
  if (username && !password && auth !== 'oauth2') return [finding('username_without_password', ['username'])];
  return password && !username ? [finding('password_without_username', ['password'])] : [];
}

/** Throws a `ClientError` when a key that is there renders empty; without a password it is empty. */
export function credentialsOf(login: Login, scope: Scope): SmtpMessage['credentials'] {
  const { username, password, auth } = login;
  if (!username || auth === 'oauth2') return undefined;
  return {
    username: filled('username', username.render(scope)),
    password: password ? filled('password', password.render(scope)) : '',
    mechanism: auth === 'login' ? 'LOGIN' : 'PLAIN',
  };
}

/** Whom the token is for, and how to get it. Throws a `ClientError` as well. */
export function tokenLoginOf({ username, auth, oauth2 }: Login, scope: Scope): SmtpMessage['oauth2'] {
  if (auth !== 'oauth2' || !username || !oauth2) return undefined;
  return { username: filled('username', username.render(scope).trim()), grant: oauth2.grantOf(scope) };
}

function filled(key: string, rendered: string): string {
  if (rendered === '') throw failed('rendered_empty', { key });
  return rendered;
}

export const smtp = outputType({
  type: 'smtp',
  summary: 'Sends a mail directly to an SMTP server.',
  keys: {
    host: required(
      "The server's name. The envelope sender is `relay@<host>`.",
      v.pipe(
        text(),
        v.check(
          (host) => new RegExp(`^[^\\s${other}/@:]+$`, 'u').test(host) || isIP(host) > 0,
          wrong('not_a_host'),
        ),
      ),
    ),
    port: withDefault(
      '587',
      'Port 465 speaks TLS from the first byte; any other uses STARTTLS when the server offers it.',
      number({ least: 1, most: 65_535, whole: true }),
    ),
    ...loginKeys,
    ...mailKeys,
    from: fromKey('The From header and envelope sender, instead of `relay@<host>`.'),
    tls: withDefault(
      'opportunistic',
      '`required` refuses to send when the server offers no STARTTLS.',
      choice(['opportunistic', 'required']),
    ),
    mails_per_connection: optional(
      'How many mails a connection carries before the relay opens another. Without it, 10 if the server greets as Exim, which by default delivers no more than these at once, and otherwise 1,000.',
      number({ least: 1, most: 1_000, whole: true }),
    ),
    dkim: optional(
      'Signs each mail with DKIM, for a server that does not: most do, and then this is not needed.',
      dkim,
    ),
  },
  jsonSchema: loginJsonSchema,
  problems: (output) => [...mailProblems(output), ...loginProblems(output)],
  target: ({ host, port, tls, to, cc, bcc, username, password, auth, oauth2, from, dkim }) =>
    smtpTarget({
      ...{ host, port, tls, to, cc, bcc, username, password, auth, oauth2, dkim },
      from: from ?? defaultSender(host),
      isDefaultSender: from === undefined,
    }),
  prepare,
  message: (output, job, scope) => carried(output, mailOf(output, job, scope), scope),
  carry: (output, mail, scope) => carried(output, mail, scope),
  sendsOfItself: ({ html, text, pdf }) => html || pdf || text !== undefined,
  readsFields: fileFieldsIn,
  takesFile,
  warnings: (output) => [...mailWarnings(output), ...loginWarnings(output)],
});

interface Prepared extends FixedRecipients {
  readonly from: Mailbox;
  readonly letterhead: Correspondents | undefined;
}

function prepare(output: Parameters<typeof fixedRecipients>[0] & Sending): Prepared {
  const from = output.from ?? defaultSender(output.host);
  const { to, cc, bcc } = fixedRecipients(output);
  const isFixed = to && (cc || !output.cc) && (bcc || !output.bcc);
  return { from, to, cc, bcc, letterhead: isFixed ? letterhead({ from, to, cc, bcc }) : undefined };
}

interface Sending {
  readonly host: string;
  readonly from?: Mailbox | undefined;
}

interface Carrier extends Login, Pick<SmtpMessage, 'host' | 'port' | 'tls'> {
  readonly mails_per_connection?: number | undefined;
  readonly prepared: Prepared;
  readonly dkim?: DkimTarget | undefined;
}

/** Copies keys one by one: V8 spreads so many slowly. */
function carried(output: Carrier, mail: MailContent & Warned, scope: Scope): SmtpMessage {
  const { host, port, tls, prepared } = output;
  const from = mail.from ?? prepared.from;
  const address = addressOf(from);
  return {
    via: 'smtp',
    host,
    port,
    tls,
    credentials: credentialsOf(output, scope),
    mailsPerConnection: output.mails_per_connection,
    oauth2: tokenLoginOf(output, scope),
    dkim: output.dkim?.signingOf(scope),
    from,
    to: mail.to,
    cc: mail.cc,
    bcc: mail.bcc,
    letterhead: prepared.letterhead,
    replyTo: mail.replyTo,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    htmlStart: mail.htmlStart,
    attachments: mail.attachments,
    headers: mail.headers,
    isAutoReply: mail.isAutoReply,
    messageId: `${mail.id}${address.slice(address.lastIndexOf('@'))}`,
    date: mail.date,
    warnings: mail.warnings,
  };
}

interface Warned {
  readonly warnings?: SmtpMessage['warnings'];
}

const defaultSender = (host: string) => `relay@${domainOf(host)}`;

/** A host as it stands after the `@` of an address (RFC 5321, 4.1.3). */
function domainOf(host: string): string {
  const kind = isIP(host);
  // Mail is ASCII: `bücher.example` is `xn--bcher-kva.example` there.
  if (kind === 0) return /[^\0-\x7f]/.test(host) ? domainToASCII(host) : host;
  return kind === 4 ? `[${host}]` : `[IPv6:${host}]`;
}
