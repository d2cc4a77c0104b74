import { type Awaited, ClientError, failed, type Params, type SmtpCommand } from '../../base/client_error.ts';
import type { Reply } from './reply.ts';

/**
 * What a reply means that is not the one hoped for. Of the server's words it holds only the codes: the text can repeat
 * an address.
 *
 * Another try may help against any 4xx reply (RFC 5321, 4.2.1).
 */
export function refusal(command: SmtpCommand, { code, lines }: Reply): ClientError {
  if (!isNo(code)) return failed('not_smtp');
  const reply = withEnhancedCode(code, lines);
  if (command === 'CONN' && isPassing(code)) return failed('turned_away', { reply }, retryOf(code));
  return failed('smtp_refused', { command, reply }, retryOf(code));
}

/**
 * The same of a recipient.
 *
 * @param nth From 1, in the order of `to`, `cc` and `bcc`.
 */
export function recipientRefusal({ code, lines }: Reply, nth: number, of: number): ClientError {
  if (!isNo(code)) return failed('not_smtp');
  const reply = withEnhancedCode(code, lines);
  const among = of > 1 ? { nth, of } : undefined;
  return failed('smtp_refused', { command: 'RCPT', reply, among }, retryOf(code));
}

/** The same of the end of a login. */
export function loginRefusal({ code, lines }: Reply, host: string, isToken: boolean): ClientError {
  if (!isNo(code)) return failed('not_smtp');
  return failed('login_refused', { reply: withEnhancedCode(code, lines), host, isToken }, retryOf(code));
}

const isPassing = (code: string) => code.startsWith('4');
const isNo = (code: string) => isPassing(code) || code.startsWith('5');
const retryOf = (code: string) => (isPassing(code) ? { retryAfterMs: 0 } : {});

/**
 * The other side hung up. Another try may help; if the server had taken the mail by then, a second copy has the same
 * Message-ID.
 *
 * @param before What would have come next.
 * @param farewell A server that must go says 421 first (RFC 5321, 3.8).
 */
export function connectionClosed(before: Awaited, farewell?: Reply): ClientError {
  const reply = farewell && { reply: withEnhancedCode(farewell.code, farewell.lines) };
  return failed('closed', { before, ...reply }, { retryAfterMs: 0 });
}

/** `550 5.7.1`: the reply's code and, where its last line has one, its enhanced code (RFC 3463). */
function withEnhancedCode(code: string, lines: readonly string[]): string {
  const [enhanced] = /^\d\.\d{1,3}\.\d{1,3}\b/.exec(lines.at(-1) ?? '') ?? [];
  return enhanced === undefined ? code : `${code} ${enhanced}`;
}

export const isTurnedAway = (error: unknown): boolean =>
  error instanceof ClientError && error.code === 'turned_away';

/** MAIL was refused, which may mean the sender, or that the connection had its share of mails. */
export const isSenderRefused = (error: unknown): boolean =>
  error instanceof ClientError &&
  error.code === 'smtp_refused' &&
  (error.params as Params<'smtp_refused'>).command === 'MAIL';

/**
 * A mail without an envelope sender was refused for good, and may be for the want of one. Some servers say so only when they
 * hear of a recipient (Postfix), or when they have the mail (Exchange).
 */
export function isNullSenderRefused(error: unknown): boolean {
  if (!(error instanceof ClientError) || error.code !== 'smtp_refused') return false;
  if (error.retryAfterMs !== undefined) return false;
  const { command, reply } = error.params as Params<'smtp_refused'>;
  if (command === 'MAIL') return true;
  // RFC 3463: the sender's address, or a policy. The last two are Microsoft's, of senders that a login may not use.
  return command === 'RCPT' ? / 5\.(1\.[78]|7\.\d+)$/.test(reply) : / 5\.(1\.[78]|7\.60|2\.252)$/.test(reply);
}

/** Of one recipient, for good: there is no such mailbox or domain, or none that takes mail (RFC 3463, 3.2; RFC 7505). */
export function isAddressUnknown(error: unknown): boolean {
  if (!(error instanceof ClientError) || error.code !== 'smtp_refused') return false;
  const { command, reply } = error.params as Params<'smtp_refused'>;
  return command === 'RCPT' && /^5\d\d 5\.1\.(1|2|3|10)$/.test(reply);
}
