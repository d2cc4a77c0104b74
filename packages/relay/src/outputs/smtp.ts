import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import * as v from 'valibot';
import type { Correspondents, Mailbox } from '../base/effects.ts';
import { addressOf } from '../base/mailbox.ts';
import { other } from '../base/unicode.ts';
import { wrong } from '../schema/issue.ts';
import { required, withDefault } from '../schema/keys.ts';
import { choice, number, text } from '../schema/kinds.ts';
import type { Scope } from '../schema/template/render.ts';
import { letterhead } from '../transports/mail/letterhead.ts';
import type { MailContent } from '../transports/mail/mail_content.ts';
import { type DkimTarget, type SmtpMessage, smtpTarget } from '../transports/smtp/smtp_message.ts';
import { dkimKey, dkimWarnings, lateDkim } from './dkim.ts';
import {
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
import { lateHtml } from './mail_words.ts';
import { lateOAuth2 } from './oauth2.ts';
import { outputType } from './output.ts';
import {
  credentialsOf,
  type Login,
  loginJsonSchema,
  loginKeys,
  loginProblems,
  loginWarnings,
  tokenLoginOf,
} from './smtp_login.ts';

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
    ...dkimKey,
  },
  jsonSchema: loginJsonSchema,
  lateKeys: [lateHtml, lateOAuth2, lateDkim],
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
  sendsOfItself: ({ html, text }) => html || text !== undefined,
  readsFields: fileFieldsIn,
  takesFile,
  warnings: ({ host, from = defaultSender(host), dkim, ...output }) => [
    ...mailWarnings(output),
    ...loginWarnings(output),
    ...dkimWarnings(dkim, from),
  ],
});

/** The parts that all mails share. */
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
  readonly prepared: Prepared;
  readonly dkim?: DkimTarget | undefined;
}

/** One by one, since V8 spreads so many keys slowly. */
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
