import { failed } from '../../base/client_error.ts';
import type {
  Dkim,
  Effects,
  Mail,
  SmtpMessage as SmtpClientMessage,
  SmtpCredentials,
} from '../../base/effects.ts';
import { shownMail, shownSource } from '../mail/shown_mail.ts';
import type { WithToken } from '../oauth2/with_token.ts';
import { refused, slow, type Transport } from '../transport.ts';
import type { SmtpMessage } from './smtp_message.ts';

export function smtpTransport({
  smtp,
  withToken,
}: Pick<Effects, 'smtp'> & { readonly withToken: WithToken }): Transport<SmtpMessage, void> {
  return {
    send: (message, timeoutMs) => {
      const { oauth2, credentials } = message;
      if (!oauth2) return smtp(mailOf(message, credentials, timeoutMs));
      const { username, grant } = oauth2;
      return withToken(grant, timeoutMs, (token, leftMs) =>
        smtp(mailOf(message, { username, token }, leftMs)),
      );
    },
    show: (message, mask) =>
      // As it follows DATA, before dot-stuffing (RFC 5321, 4.5.2).
      shownMail(message, `${message.host}:${message.port}`, mask, async (masked) => {
        // A signature tells nothing of the secrets in what it signs: it is the one that would be sent.
        const signature = message.dkim ? await signatureOf(message, message.dkim) : '';
        return signature + (await shownSource(masked));
      }),
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

function mailOf(
  message: SmtpMessage,
  credentials: SmtpCredentials | undefined,
  timeoutMs: number,
): SmtpClientMessage {
  // One by one, since V8 spreads so many keys slowly.
  return {
    host: message.host,
    port: message.port,
    tls: message.tls,
    credentials,
    dkim: message.dkim,
    from: message.from,
    to: message.to,
    cc: message.cc,
    bcc: message.bcc,
    letterhead: message.letterhead,
    replyTo: message.replyTo,
    subject: message.subject,
    text: message.text,
    html: message.html,
    htmlStart: message.htmlStart,
    attachments: message.attachments,
    headers: message.headers,
    isAutoReply: message.isAutoReply,
    messageId: message.messageId,
    date: message.date,
    timeoutMs,
  };
}

async function signatureOf(mail: Mail, dkim: Dkim): Promise<string> {
  const [{ composeMail }, { signatureOf }] = await Promise.all([
    import('../mail/compose.ts'),
    import('../mail/dkim.ts'),
  ]);
  return signatureOf(await composeMail(mail), dkim);
}
