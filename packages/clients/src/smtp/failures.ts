import { type FailureParams, failures } from '@form-relay/base/client_error';
import { connectionWords, mailWords } from '../failures.ts';

const commands = {
  CONN: 'the connection',
  EHLO: 'EHLO',
  HELO: 'HELO',
  STARTTLS: 'STARTTLS',
  MAIL: 'the sender',
  RCPT: 'a recipient',
  DATA: 'the message',
};

/** CONN is the greeting. */
export type SmtpCommand = keyof typeof commands;

export type SmtpMechanism = 'PLAIN' | 'LOGIN' | 'XOAUTH2';

/** A reply is its code and, where it has one, its enhanced code (RFC 3463): `550 5.7.1`. */
export const smtpWords = {
  ...connectionWords,
  ...mailWords,
  not_smtp: 'the answer is not SMTP',
  no_starttls: 'the server offers no STARTTLS and tls is "required"',
  turned_away: ({ reply }: { reply: string }) => `the server refused the connection: ${reply}`,
  smtp_refused: ({ command, reply, among }: Refused) =>
    `the server refused ${commands[command]}: ${reply}${among ? ` (number ${among.nth} of ${among.of} in \`to\`, \`cc\` and \`bcc\`)` : ''}`,
  login_refused: ({ reply }: { reply: string; isToken: boolean }) => `authentication refused: ${reply}`,
  no_starttls_for_login: ({ isToken }: { isToken: boolean }) =>
    `the ${isToken ? 'access token' : 'password'} is not sent in the clear, and the server offers no STARTTLS (port 465 or tls: implicit may do)`,
  no_auth: ({ wanted, offered }: NoAuth) =>
    `${wanted === 'XOAUTH2' ? '`auth: oauth2`' : 'a username'} is set and the server offers no AUTH ${wanted}${offered.length > 0 ? `, only ${offered.join(', ')}` : ''}`,
  login_broken: ({ key }: { key: string }) =>
    `\`${key}\` holds a control character, which would end it in the midst of the login`,
};

export type SmtpFailure<C extends keyof typeof smtpWords> = FailureParams<typeof smtpWords, C>;

export const failed = failures(smtpWords);

interface Refused {
  readonly command: SmtpCommand;
  readonly reply: string;
  /** The recipient that was refused, if there are several. */
  readonly among?: { readonly nth: number; readonly of: number } | undefined;
}

interface NoAuth {
  readonly wanted: SmtpMechanism;
  /** Names of mechanisms, as the server has them. */
  readonly offered: readonly string[];
}
