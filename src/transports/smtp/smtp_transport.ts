import { failed } from '../../client_error.ts';
import type { Effects } from '../../effects.ts';
import { composeMail } from '../mail/compose.ts';
import { shownMail } from '../mail/shown_mail.ts';
import { refused, slow, type Transport } from '../transport.ts';
import type { SmtpMessage } from './smtp_message.ts';

export function smtpTransport({ smtp }: Pick<Effects, 'smtp'>): Transport<SmtpMessage, void> {
  return {
    send: (message, timeoutMs) => {
      // One by one: to spread so many keys takes 4 % of a mail.
      const { host, port, tls, credentials, from, to, cc, bcc, replyTo, subject, text, html } = message;
      const { headers, isAutoReply, messageId, date } = message;
      return smtp({
        ...{ host, port, tls, credentials, from, to, cc, bcc, replyTo, subject, text, html },
        ...{ headers, isAutoReply, messageId, date, timeoutMs },
      });
    },
    show: (message, mask) =>
      // As it follows DATA, before dot-stuffing (RFC 5321, 4.5.2).
      shownMail(message, `${message.host}:${message.port}`, mask, async (masked) =>
        (await composeMail(masked)).bytes.toString('utf8'),
      ),
    answerInWords: () => 'accepted',
    faults: [
      refused,
      {
        name: 'bounced',
        says: 'bounces the mail',
        error: () => failed('smtp_refused', { command: 'RCPT', reply: '550 5.1.1' }),
      },
      slow,
    ],
  };
}
