import { ClientError, type FailureParams, failures, type Retry } from '@form-relay/base/client_error';
import type { SmtpMessage } from '@form-relay/core/services';
import { type Awaited, connectionWords, mailWords } from '../failures.ts';

const commands = {
  CONN: 'the connection',
  EHLO: 'EHLO',
  HELO: 'HELO',
  STARTTLS: 'STARTTLS',
  MAIL: 'the sender',
  RCPT: 'a recipient',
  DATA: 'the message',
};

/** The command that was refused. CONN stands for the greeting. */
type SmtpCommand = keyof typeof commands;

export type SmtpMechanism = 'PLAIN' | 'LOGIN' | 'XOAUTH2';

/** In these messages, a reply is its code and, if there is one, its enhanced code (RFC 3463): `550 5.7.1`. */
export const smtpWords = {
  ...connectionWords,
  ...mailWords,
  not_smtp: 'the response is not SMTP',
  no_starttls: 'the server does not offer STARTTLS, and tls is "required"',
  turned_away: ({ reply }: { reply: string }) => `the server refused the connection: ${reply}`,
  smtp_refused: ({ command, reply, among }: Refused) =>
    `the server refused ${commands[command]}: ${reply}${among ? ` (number ${among.nth} of ${among.of} in \`to\`, \`cc\` and \`bcc\`)` : ''}`,
  login_refused: ({ reply }: { reply: string; isToken: boolean }) => `authentication refused: ${reply}`,
  no_starttls_for_login: ({ isToken }: { isToken: boolean }) =>
    `the ${isToken ? 'access token' : 'password'} is not sent unencrypted, and the server does not offer STARTTLS (try port 465 or tls: implicit)`,
  no_auth: ({ wanted, offered }: NoAuth) =>
    `${wanted === 'XOAUTH2' ? '`auth: oauth2`' : 'a username'} is set and the server offers no AUTH ${wanted}${offered.length > 0 ? `, only ${offered.join(', ')}` : ''}`,
  login_broken: ({ key }: { key: string }) =>
    `\`${key}\` contains a control character, which would break the login`,
};

export type SmtpFailure<C extends keyof typeof smtpWords> = FailureParams<typeof smtpWords, C>;

export const failed = failures(smtpWords);

interface Refused {
  readonly command: SmtpCommand;
  readonly reply: string;
  /** The refused recipient, if there are several recipients. */
  readonly among?: { readonly nth: number; readonly of: number } | undefined;
}

interface NoAuth {
  readonly wanted: SmtpMechanism;
  /** The names of mechanisms as the server spells them. */
  readonly offered: readonly string[];
}

/** A server's reply to a command (RFC 5321, 4.2). */
export class Reply {
  /** The code, which has three digits. */
  readonly code: string;
  readonly #text: string;

  constructor(text: string) {
    this.code = text.slice(0, 3);
    this.#text = text;
  }

  /** The text after the code, line by line. Split on demand, because usually only the code matters. */
  get lines(): readonly string[] {
    return this.#text.split('\n').map((line) => line.trimEnd().slice(4));
  }
}

/** Splits a server's output into replies as it arrives. */
export class ReplyReader {
  /** The output from the start of an incomplete reply. */
  #input = '';
  /** The starts of the next reply and of its next line in `#input`. */
  #start = 0;
  #at = 0;

  /** Whether all output was returned. */
  get isEmpty(): boolean {
    return this.#start === this.#input.length;
  }

  add(text: string): void {
    this.#input = this.isEmpty ? text : this.#input.slice(this.#start) + text;
    this.#at -= this.#start;
    this.#start = 0;
  }

  /** The next complete reply, if there is one. `malformed`: the output is not SMTP, and the rest is ignored. */
  next(): Reply | 'malformed' | undefined {
    const input = this.#input;
    const start = this.#start;
    for (let end = input.indexOf('\n', this.#at); end >= 0; end = input.indexOf('\n', this.#at)) {
      const line = this.#at;
      this.#at = end + 1;
      if (!isLine(input, line, end) || end - start > longestReply) return 'malformed';
      // With different codes in one reply, it would be unclear whether the server accepted (RFC 5321, 4.2.1).
      if (line > start && !input.startsWith(input.slice(start, start + 3), line)) return 'malformed';
      if (input.charCodeAt(line + 3) === hyphen) continue;
      this.#start = this.#at;
      return new Reply(input.slice(start, end));
    }
    return input.length - start > longestReply ? 'malformed' : undefined;
  }
}

/** Whether a line is a code alone, or a code, a hyphen or space, and text. */
function isLine(input: string, start: number, end: number): boolean {
  const first = input.charCodeAt(start);
  const separator = input.charCodeAt(start + 3);
  if (first < digit0 + 2 || first > digit0 + 5) return false;
  if (!isDigit(input.charCodeAt(start + 1)) || !isDigit(input.charCodeAt(start + 2))) return false;
  const isUsual = (separator === space || separator === hyphen) && input.indexOf('\r', start) >= end - 1;
  if (isUsual) return true;
  // White space may precede the CR.
  return /^(?:[ -][^\r]*)?$/.test(input.slice(start + 3, end).trimEnd());
}

const isDigit = (code: number) => code >= digit0 && code <= digit0 + 9;

const [space, hyphen, digit0] = [0x20, 0x2d, 0x30];

/** In characters. A line may have 512 (RFC 5321, 4.5.3.1.5), and a reply to EHLO may have dozens of lines. */
const longestReply = 65_536;

export const isDone = ({ code }: Reply): boolean => code.startsWith('2');

/** Whether the server now expects the text of a mail. */
export const asksForText = ({ code }: Reply): boolean => code === '354';

/** A connection's server and login. */
export type SmtpServer = Pick<SmtpMessage, 'host' | 'port' | 'tls' | 'credentials' | 'timeoutMs'>;

/** Whether TLS starts before the greeting (RFC 8314, 3.3). */
export const beginsWithTls = ({ port, tls }: Pick<SmtpServer, 'port' | 'tls'>): boolean =>
  port === 465 || tls === 'implicit';

/** The failure for a refused command. */
export const refusal = (command: SmtpCommand, said: Reply): ClientError =>
  refused(said, (reply, retry) =>
    command === 'CONN' && isPassing(said.code)
      ? failed('turned_away', { reply }, retry)
      : failed('smtp_refused', { command, reply }, retry),
  );

/**
 * The failure for a refused recipient.
 *
 * @param nth The number of the recipient, from 1, in the order of `to`, `cc` and `bcc`.
 */
export const recipientRefusal = (said: Reply, nth: number, of: number): ClientError =>
  refused(said, (reply, retry) => {
    const among = of > 1 ? { nth, of } : undefined;
    return failed('smtp_refused', { command: 'RCPT', reply, among }, retry);
  });

export const loginRefusal = (said: Reply, isToken: boolean): ClientError =>
  refused(said, (reply, retry) => failed('login_refused', { reply, isToken }, retry));

/** Stored separately from the errors, so that logs and stores never get the text. */
const replies = new WeakMap<ClientError, Reply>();

/**
 * A failure quotes only the server's codes, because the text can repeat an address. A retry may help after
 * any 4xx reply (RFC 5321, 4.2.1).
 */
function refused(said: Reply, failure: (reply: string, retry: Retry) => ClientError): ClientError {
  const { code, lines } = said;
  if (!isPassing(code) && !code.startsWith('5')) return failed('not_smtp');
  const error = failure(withEnhancedCode(code, lines), isPassing(code) ? { retryAfterMs: 0 } : {});
  replies.set(error, said);
  return error;
}

/** The server's own words for its refusal, without codes; empty if there are none. Only for the owner's own tests. */
export const refusalText = (error: ClientError): string =>
  (replies.get(error)?.lines ?? []).map((line) => line.replace(enhancedCode, '').trim()).join(' ');

const isPassing = (code: string) => code.startsWith('4');

/**
 * The failure for a closed connection. A retry may help; if the server accepted the mail, the second copy has
 * the same Message-ID.
 *
 * @param before The step that was next.
 * @param farewell The 421 of a server that is shutting down (RFC 5321, 3.8).
 */
export function connectionClosed(before: Awaited, farewell?: Reply): ClientError {
  const reply = farewell && { reply: withEnhancedCode(farewell.code, farewell.lines) };
  return failed('closed', { before, ...reply }, { retryAfterMs: 0 });
}

/** A reply's code and the enhanced code of its last line, if there is one (RFC 3463): `550 5.7.1`. */
function withEnhancedCode(code: string, lines: readonly string[]): string {
  const [enhanced] = enhancedCode.exec(lines.at(-1) ?? '') ?? [];
  return enhanced === undefined ? code : `${code} ${enhanced}`;
}

const enhancedCode = /^\d\.\d{1,3}\.\d{1,3}\b/;

export const isTurnedAway = (error: unknown): boolean =>
  error instanceof ClientError && error.code === 'turned_away';

/** Whether the server permanently rejected the mail or part of its envelope. */
export const isRefused = (error: unknown): boolean =>
  error instanceof ClientError &&
  error.code === 'smtp_refused' &&
  (error.params as SmtpFailure<'smtp_refused'>).reply.startsWith('5');

/** Whether MAIL was refused: because of the sender, or because the connection reached its limit of mails. */
export const isSenderRefused = (error: unknown): boolean =>
  error instanceof ClientError &&
  error.code === 'smtp_refused' &&
  (error.params as SmtpFailure<'smtp_refused'>).command === 'MAIL';
