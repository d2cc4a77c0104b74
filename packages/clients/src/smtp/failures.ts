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

/** The ways to sign in to SMTP servers. */
export type SmtpMechanism = 'PLAIN' | 'LOGIN' | 'XOAUTH2' | 'OAUTHBEARER';

/** A reply is its code and, where it has one, its enhanced code (RFC 3463): `550 5.7.1`. */
export const smtpWords = {
  ...connectionWords,
  ...mailWords,
  not_smtp: 'the answer is not SMTP',
  no_starttls: 'the server offers no STARTTLS and tls is "required"',
  turned_away: ({ reply }: { reply: string }) => `the server refused the connection: ${reply}`,
  smtp_refused: ({ command, reply, among }: Refused) =>
    `the server refused ${commands[command]}: ${reply}${among ? ` (number ${among.nth} of ${among.of} in \`to\`, \`cc\` and \`bcc\`)` : ''}${meaningOfReply(reply)}`,
  login_refused: ({ reply, host, isToken }: LoginRefused) =>
    `authentication refused: ${reply}${meaningOfLoginReply(reply, host, isToken)}`,
  no_starttls_for_login: ({ isToken }: { isToken: boolean }) =>
    `the ${isToken ? 'access token' : 'password'} is not sent in the clear, and the server offers no STARTTLS (port 465 may do)`,
  no_auth: ({ wanted, offered }: NoAuth) =>
    `${wanted.includes('XOAUTH2') ? '`auth: oauth2`' : 'a username'} is set and the server offers no AUTH ${wanted.join(' and no ')}${offered.length > 0 ? `, only ${offered.join(', ')}` : ''}${insteadOf(offered)}`,
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

/** The meaning of a server's reply to a mail. Uses only codes with a single meaning. */
function meaningOfReply(reply: string): string {
  // RFC 4954, 6; Microsoft uses a code of its own.
  if (/^530\b/.test(reply) || reply.endsWith(' 5.7.57')) return ': it wants a login first; set `username`';
  // Microsoft's code.
  return / 5\.(7\.60|2\.252)$/.test(reply) ? ': this login may not send as `from`' : '';
}

interface NoAuth {
  readonly wanted: readonly SmtpMechanism[];
  /** Names of mechanisms, as the server has them. */
  readonly offered: readonly string[];
}

/** Advice on how to sign in with the mechanisms that the server offers. */
function insteadOf(offered: readonly string[]): string {
  const ways = [
    offered.includes('PLAIN') && '`auth: plain`',
    offered.includes('LOGIN') && !offered.includes('PLAIN') && '`auth: login`',
    (offered.includes('XOAUTH2') || offered.includes('OAUTHBEARER')) && '`auth: oauth2`',
  ].filter((way) => way !== false);
  return ways.length > 0 ? `; use ${ways.join(' or ')}` : '';
}

interface LoginRefused {
  readonly reply: string;
  /** The server that refused it. */
  readonly host: string;
  /** Whether the relay presented an access token instead of a password. */
  readonly isToken: boolean;
}

/** The meaning of a server's reply to a login. Some codes have a meaning with one provider only. */
function meaningOfLoginReply(reply: string, host: string, isToken: boolean): string {
  if (reply.startsWith('4')) return '';
  // Microsoft's codes: the first for passwords, the other for several settings.
  if (!isToken && / 5\.7\.(30|139)$/.test(reply))
    return ': Microsoft takes no password for this mailbox; use `auth: oauth2`';
  if (reply.endsWith(' 5.7.139'))
    return ': Microsoft has SMTP AUTH turned off for the mailbox or for all of them';
  if (isToken) return ': it does not take the access token for this `username`';
  const isGoogle = /(^|\.)(gmail|googlemail)\.com$/i.test(host);
  if (isGoogle && / 5\.7\.(8|9|14)$/.test(reply))
    return ': Google takes no password of an account, but an app password; or use `auth: oauth2`';
  // RFC 4954, 6.
  return reply.endsWith(' 5.7.9') ? ': it takes no password in this way' : '';
}
