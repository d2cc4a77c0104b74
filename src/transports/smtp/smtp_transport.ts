import { failed } from '../../client_error.ts';
import type { Effects } from '../../effects.ts';
import { refused, slow, type Transport } from '../transport.ts';
import { composeMail } from './compose.ts';
import type { SmtpMessage } from './smtp_message.ts';

export function smtpTransport({ smtp }: Pick<Effects, 'smtp'>): Transport<SmtpMessage, void> {
  return {
    send: (message, timeoutMs) => {
      // One by one: to spread so many keys takes 4 % of a mail.
      const { host, port, tls, credentials, from, to, replyTo, subject, text, messageId, date } = message;
      const mail = { host, port, tls, credentials, from, to, replyTo, subject, text, messageId, date };
      return smtp(Object.assign(mail, { timeoutMs }));
    },
    show: async (message, mask) => {
      const subject = mask.text(message.subject);
      const text = mask.pairs(message.text, '\n');
      const { from, to, replyTo, host, port } = message;
      // As it follows DATA, before dot-stuffing (RFC 5321, 4.5.2).
      const { bytes } = await composeMail({ ...message, subject, text, timeoutMs: 0 });
      const source = bytes.toString('utf8');
      return {
        kind: 'mail',
        server: `${host}:${port}`,
        envelope: { from, to },
        replyTo,
        subject,
        text,
        source,
      };
    },
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
