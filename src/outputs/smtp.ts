import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import * as v from 'valibot';
import { failed } from '../client_error.ts';
import { finding } from '../config_finding.ts';
import type { Mailbox } from '../effects.ts';
import { addressOf } from '../mailbox.ts';
import { wrong } from '../schema/issue.ts';
import { optional, required, withDefault } from '../schema/keys.ts';
import { choice, number, template, text } from '../schema/kinds.ts';
import type { Scope, Template } from '../template/render.ts';
import type { MailContent } from '../transports/mail/mail_content.ts';
import { type DkimTarget, type SmtpMessage, smtpTarget } from '../transports/smtp/smtp_message.ts';
import { other } from '../unicode.ts';
import { dkimKey, dkimWarnings, lateDkim } from './dkim.ts';
import { fromKey, mailKeys, mailOf } from './mail_outputs.ts';
import { lateHtml, wordsProblems } from './mail_words.ts';
import { outputType } from './output.ts';

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
    username: optional(
      'With it, the relay authenticates with SMTP PLAIN: over TLS, or in the clear to a loopback address.',
      template(),
    ),
    password: optional('Usually `{{ env "SMTP_PASSWORD" }}`.', template()),
    ...mailKeys,
    from: fromKey('The From header and envelope sender, instead of `relay@<host>`.'),
    tls: withDefault(
      'opportunistic',
      '`required` refuses to send when the server offers no STARTTLS.',
      choice(['opportunistic', 'required']),
    ),
    ...dkimKey,
  },
  lateKeys: [lateHtml, lateDkim],
  problems: wordsProblems,
  target: ({ host, port, tls, to, cc, bcc, username, password, from, dkim }) =>
    smtpTarget({
      ...{ host, port, tls, to, cc, bcc, username, password, dkim },
      from: from ?? defaultSender(host),
      isDefaultSender: from === undefined,
    }),
  message: (output, job, scope) => carried(output, mailOf(output, job, scope), scope),
  carry: (output, mail, scope) => carried(output, mail, scope),
  sendsOfItself: ({ html, text }) => html || text !== undefined,
  warnings: ({ username, password, host, from = defaultSender(host), dkim }) => [
    ...(username && !password ? [finding('username_without_password', ['username'])] : []),
    ...(password && !username ? [finding('password_without_username', ['password'])] : []),
    ...dkimWarnings(dkim, from),
  ],
});

interface Login {
  readonly username?: Template | undefined;
  readonly password?: Template | undefined;
}

interface Carrier extends Login, Pick<SmtpMessage, 'host' | 'port' | 'tls'> {
  readonly from?: Mailbox | undefined;
  readonly dkim?: DkimTarget | undefined;
}

/** One by one: to spread so many keys takes 4 % of a mail. */
function carried(output: Carrier, mail: MailContent & Warned, scope: Scope): SmtpMessage {
  const { host, port, tls } = output;
  const from = mail.from ?? output.from ?? defaultSender(host);
  const address = addressOf(from);
  return {
    via: 'smtp',
    host,
    port,
    tls,
    credentials: credentialsOf(output, scope),
    dkim: output.dkim?.signingOf(scope),
    from,
    to: mail.to,
    cc: mail.cc,
    bcc: mail.bcc,
    replyTo: mail.replyTo,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
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

/** Throws a `ClientError` when a key that is there renders empty (D36); without a password it is empty. */
function credentialsOf({ username, password }: Login, scope: Scope): SmtpMessage['credentials'] {
  if (!username) return undefined;
  return {
    username: filled('username', username.render(scope)),
    password: password ? filled('password', password.render(scope)) : '',
  };
}

function filled(key: string, rendered: string): string {
  if (rendered === '') throw failed('rendered_empty', { key });
  return rendered;
}

const defaultSender = (host: string) => `relay@${domainOf(host)}`;

/** A host as it stands after the `@` of an address (RFC 5321, 4.1.3). */
function domainOf(host: string): string {
  const kind = isIP(host);
  // Mail is ASCII: `bücher.example` is `xn--bcher-kva.example` there.
  if (kind === 0) return /[^\0-\x7f]/.test(host) ? domainToASCII(host) : host;
  return kind === 4 ? `[${host}]` : `[IPv6:${host}]`;
}
