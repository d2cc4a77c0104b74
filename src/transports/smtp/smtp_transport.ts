import { failed } from '../../client_error.ts';
import type { Effects, SmtpMessage as SmtpClientMessage } from '../../effects.ts';
import type { Template } from '../../template/render.ts';
import { type AnyMessage, type AnyTarget, refused, slow, type Transport } from '../transport.ts';
import { composeMail } from './client.ts';

/** One mail for one server. */
export interface SmtpMessage extends AnyMessage, Omit<SmtpClientMessage, 'timeoutMs'> {
  readonly via: 'smtp';
}

export interface SmtpTarget extends AnyTarget, Pick<SmtpClientMessage, 'host' | 'port' | 'tls' | 'from'> {
  readonly via: 'smtp';
  readonly to: readonly Template[];
  readonly username: Template | undefined;
  readonly password: Template | undefined;
  /** `relay@<host>`, because no `from` is given. */
  readonly isDefaultSender: boolean;
}

export const smtpTarget = (target: Omit<SmtpTarget, 'via' | 'name'>): SmtpTarget => ({
  ...target,
  via: 'smtp',
  name: `${target.host}:${target.port}`,
});

export function smtpTransport({ smtp }: Pick<Effects, 'smtp'>): Transport<SmtpMessage, void> {
  return {
    send: (message, timeoutMs) => smtp({ ...message, timeoutMs }),
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
