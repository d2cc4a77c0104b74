import type { SMTPError } from 'nodemailer/lib/smtp-connection';
import { type ClientError, failed, type Retry, type SmtpCommand } from '../../client_error.ts';
import { connectionFailure } from '../connection_failure.ts';

/**
 * What nodemailer's error means. Of the server's words it holds only the codes: the text can repeat an address.
 *
 * Another try may help against any 4xx reply (RFC 5321, 4.2.1) and against a connection that ended too soon. If the
 * server had taken the mail by then, a second copy has the same Message-ID.
 */
export function failureOf(error: SMTPError): ClientError {
  const { code, command = '', response, originalCode, syscall, name } = error;
  if (response !== undefined) return refusal(command, response);
  switch (code) {
    case 'EAUTH':
      return failed('login_incomplete');
    case 'EPROTOCOL':
      return failed('not_smtp');
    case 'ECONNECTION':
    case 'ETLS':
      return connectionClosed();
    default:
      return brokenConnection({ code: originalCode ?? code, syscall, name, message: '' });
  }
}

/** @param command The one that was refused: its first word, or what nodemailer calls it. */
export function refusal(command: string, response: string): ClientError {
  const reply = replyCodes(response);
  if (!/^[45]/.test(reply)) return failed('not_smtp');
  const retry = reply.startsWith('4') ? again : {};
  if (command === 'AUTH PLAIN') return failed('login_refused', { reply }, retry);
  if (command === 'CONN' && reply.startsWith('4')) return failed('turned_away', { reply }, retry);
  return failed('smtp_refused', { command: command as SmtpCommand, reply }, retry);
}

const again: Retry = { retryAfterMs: 0 };

export const brokenConnection = (error: NodeJS.ErrnoException): ClientError =>
  connectionFailure(error, 'acceptance');

/** @param lastReply A server that must go says 421 first (RFC 5321, 3.8). */
export function connectionClosed(lastReply = ''): ClientError {
  const reply = lastReply.startsWith('421') ? { reply: replyCodes(lastReply) } : {};
  return failed('closed', { before: 'acceptance', ...reply }, again);
}

/** `550 5.7.1`: the reply's code and, where it has one, its enhanced code (RFC 3463). */
function replyCodes(reply: string): string {
  const [, code = '', enhanced] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})\b)?/.exec(reply) ?? [];
  return enhanced === undefined ? code : `${code} ${enhanced}`;
}
