import { ClientError, failed, type Params } from '../../base/client_error.ts';
import type {
  Dkim,
  Effects,
  Mail,
  SmtpMessage as SmtpClientMessage,
  SmtpCredentials,
} from '../../base/effects.ts';
import type { Scope, Template } from '../../schema/template/render.ts';
import type { OAuth2, OAuth2Grant } from '../oauth2/token_request.ts';
import type { WithToken } from '../oauth2/tokens.ts';
import { type AnyMessage, type AnyTarget, refused, slow, type Transport } from '../transport.ts';

export function smtpTransport({
  smtp,
  withToken,
}: Pick<Effects, 'smtp'> & { readonly withToken: WithToken }): Transport<SmtpMessage> {
  return {
    send: (message, timeoutMs) => {
      const { oauth2, credentials } = message;
      if (!oauth2) return smtp(mailOf(message, credentials, timeoutMs));
      const { username, grant } = oauth2;
      return withToken(grant, timeoutMs, (token, leftMs) =>
        smtp(mailOf(message, { username, token }, leftMs)),
      );
    },
    show: async (message, mask) => {
      const { shownMail, shownSource } = await import('../mail/shown_mail.ts');
      // The text after DATA, before dot-stuffing (RFC 5321, 4.5.2).
      return shownMail(message, `${message.host}:${message.port}`, mask, async (masked) => {
        // Not masked: a signature reveals nothing of the secrets in the mail.
        const signature = message.dkim ? await signatureOf(message, message.dkim) : '';
        return signature + (await shownSource(masked));
      });
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

function mailOf(
  message: SmtpMessage,
  credentials: SmtpCredentials | undefined,
  timeoutMs: number,
): SmtpClientMessage {
  // Written out, since V8 spreads so many keys slowly.
  return {
    host: message.host,
    port: message.port,
    tls: message.tls,
    credentials,
    mailsPerConnection: message.mailsPerConnection,
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
    import('../mail/dkim_signature.ts'),
  ]);
  return signatureOf(await composeMail(mail), dkim);
}

/** A mail for a server. */
export interface SmtpMessage extends AnyMessage, Omit<SmtpClientMessage, 'timeoutMs'> {
  readonly via: 'smtp';
  /** The grant of a token to log in with, instead of `credentials`. */
  readonly oauth2?: { readonly username: string; readonly grant: OAuth2Grant } | undefined;
}

export interface SmtpTarget extends AnyTarget, Pick<SmtpClientMessage, 'host' | 'port' | 'tls' | 'from'> {
  readonly via: 'smtp';
  readonly to: readonly Template[];
  readonly cc: readonly Template[] | undefined;
  readonly bcc: readonly Template[] | undefined;
  readonly username: Template | undefined;
  readonly password: Template | undefined;
  readonly auth: 'plain' | 'login' | 'oauth2';
  readonly oauth2: OAuth2 | undefined;
  readonly dkim: DkimTarget | undefined;
  /** Whether the sender is `relay@<host>`, because the config has no `from`. */
  readonly isDefaultSender: boolean;
}

/** The key and names for signing mails. */
export interface DkimTarget extends Omit<Dkim, 'key'> {
  readonly key: Template;
  /** Throws a `ClientError` for a malformed key. */
  signingOf(scope: Scope): Dkim;
}

export const smtpTarget = (target: Omit<SmtpTarget, 'via' | 'name'>): SmtpTarget => ({
  ...target,
  via: 'smtp',
  name: `${target.host}:${target.port}`,
});

/** Whether a recipient's mailbox or domain does not exist or takes no mail (RFC 3463, 3.2; RFC 7505). */
export function isAddressUnknown(error: unknown): boolean {
  if (!(error instanceof ClientError) || error.code !== 'smtp_refused') return false;
  const { command, reply } = error.params as Params<'smtp_refused'>;
  return command === 'RCPT' && /^5\d\d 5\.1\.(1|2|3|10)$/.test(reply);
}
