import type { SMTPError } from 'nodemailer/lib/smtp-connection';
import { ClientError, type Remedy } from '../../effects.ts';
import { connectionFailure, connectionKind, connectionRemedy } from '../connection_failure.ts';

/**
 * What nodemailer's error means. Of the server's words it holds only the codes: the text can repeat an address.
 *
 * Another try may help against any 4xx reply (RFC 5321, 4.2.1) and against a connection that ended too soon. If the
 * server had taken the mail by then, a second copy has the same Message-ID.
 */
export function failure(error: SMTPError): ClientError {
  const { code, command = '', response, originalCode, syscall, name } = error;
  if (response !== undefined) return refusal(command, response);
  switch (code) {
    case 'EAUTH':
      return new ClientError('the username or the password is empty');
    case 'EPROTOCOL':
      return notSmtp();
    case 'ECONNECTION':
    case 'ETLS':
      return connectionClosed();
    default:
      return brokenConnection({ code: originalCode ?? code, syscall, name, message: '' });
  }
}

/** @param command The one that was refused: its first word, or what nodemailer calls it. */
export function refusal(command: string, response: string): ClientError {
  const codes = replyCodes(response);
  if (!/^[45]/.test(codes)) return notSmtp();
  const reason = `${refusals[command] ?? 'the server refused'}: ${codes}`;
  const kind = command === 'AUTH PLAIN' ? 'login_refused' : 'refused';
  if (codes.startsWith('5')) return new ClientError(reason, { kind });
  return new (command === 'CONN' ? TurnedAway : ClientError)(reason, { ...again, kind });
}

/** The server took the connection, and greeted with 4xx: most likely there are too many. */
export class TurnedAway extends ClientError {}

const again: Remedy = { retryAfterMs: 0 };

const refusals: Readonly<Record<string, string>> = {
  CONN: 'the server refused the connection',
  EHLO: 'the server refused EHLO',
  HELO: 'the server refused HELO',
  STARTTLS: 'the server refused STARTTLS',
  'AUTH PLAIN': 'authentication refused',
  MAIL: 'the server refused the sender',
  RCPT: 'the server refused a recipient',
  DATA: 'the server refused the message',
};

export const brokenConnection = (error: NodeJS.ErrnoException): ClientError =>
  new ClientError(connectionFailure(error, closed), {
    ...connectionRemedy(error),
    kind: connectionKind(error),
  });

export const notSmtp = () => new ClientError('the answer is not SMTP', { kind: 'not_smtp' });

/** @param lastReply A server that must go says 421 first (RFC 5321, 3.8). */
export function connectionClosed(lastReply = ''): ClientError {
  const reason = lastReply.startsWith('421') ? `${closed}: ${replyCodes(lastReply)}` : closed;
  return new ClientError(reason, { ...again, kind: 'closed' });
}

const closed = 'the connection closed before the server accepted the message';

/** `550 5.7.1`: the reply's code and, where it has one, its enhanced code (RFC 3463). */
function replyCodes(reply: string): string {
  const [, code = '', enhanced] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})\b)?/.exec(reply) ?? [];
  return enhanced === undefined ? code : `${code} ${enhanced}`;
}
