import { failed } from '../client_error.ts';
import { mailKeys, mailText, recipients, replyTo, subjectLine } from './mail.ts';
import { outputType } from './output.ts';

export const email = outputType({
  type: 'email',
  summary: 'Sends a plain-text message through Amazon SES, from MAIL_FROM_ADDRESS.',
  keys: mailKeys,
  target: () => 'Amazon SES',
  channel: ({ to }) => ({ kind: 'ses', to }),
  deliver: async (output, delivery) => {
    const { effects, mailFromAddress, payload, timeoutMs } = delivery;
    if (mailFromAddress === undefined) throw failed('mail_from_unset');
    await effects.ses({
      from: mailFromAddress,
      to: recipients(output.to, delivery),
      replyTo: replyTo(output.reply_to, delivery),
      subject: subjectLine(output.subject, delivery),
      text: mailText(payload),
      timeoutMs,
    });
  },
});
