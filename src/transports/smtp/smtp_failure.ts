import { ClientError, failed, type SmtpCommand } from '../../client_error.ts';
import { connectionFailure } from '../connection_failure.ts';
import type { Reply } from './reply.ts';

/**
 * What a reply means that is not the one hoped for. Of the server's words it holds only the codes: the text can repeat
 * an address.
 *
 * Another try may help against any 4xx reply (RFC 5321, 4.2.1).
 */
export function refusal(command: SmtpCommand | 'AUTH', { code, lines }: Reply): ClientError {
  const isPassing = code.startsWith('4');
  if (!isPassing && !code.startsWith('5')) return failed('not_smtp');
  const reply = withEnhancedCode(code, lines);
  const retry = isPassing ? { retryAfterMs: 0 } : {};
  if (command === 'AUTH') return failed('login_refused', { reply }, retry);
  if (command === 'CONN' && isPassing) return failed('turned_away', { reply }, retry);
  return failed('smtp_refused', { command, reply }, retry);
}

/**
 * The other side hung up. Another try may help; if the server had taken the mail by then, a second copy has the same
 * Message-ID.
 *
 * @param farewell A server that must go says 421 first (RFC 5321, 3.8).
 */
export function connectionClosed(farewell?: Reply): ClientError {
  const reply = farewell && { reply: withEnhancedCode(farewell.code, farewell.lines) };
  return failed('closed', { before: 'acceptance', ...reply }, { retryAfterMs: 0 });
}

export const connectionBroken = (error: NodeJS.ErrnoException): ClientError =>
  connectionFailure(error, 'acceptance');

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
  (error.params as { command: SmtpCommand }).command === 'MAIL';
