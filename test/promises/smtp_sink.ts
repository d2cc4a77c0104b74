import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { listen } from '../support/listen.ts';

export interface Mail {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** The login, if any. */
  readonly login: { readonly username?: string | null; readonly password?: string | null } | undefined;
  /** As a mail program parses it. */
  readonly mail: Email;
  /** The text with `\n` line breaks, without those at the end. */
  readonly text: string;
  /** As sent, one character per byte (Latin-1). */
  readonly source: string;
}

export type SmtpSink = Awaited<ReturnType<typeof startSmtpSink>>;

/** The recipient that the sink rejects. */
export const rejectedRecipient = 'rejected@promises.test';

/** A mail server that accepts mails without TLS, with AUTH PLAIN or without a login. */
export async function startSmtpSink() {
  /** Every accepted mail, in order. */
  const mails: Mail[] = [];
  const logins = new Map<string, Mail['login']>();
  const server = new SMTPServer({
    hideSTARTTLS: true,
    authOptional: true,
    allowInsecureAuth: true,
    authMethods: ['PLAIN'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth: ({ username, password }, { id }, done) => {
      logins.set(id, { username, password });
      done(null, { user: username ?? '' });
    },
    onRcptTo: ({ address }, _session, done) =>
      done(
        address === rejectedRecipient
          ? Object.assign(new Error('unknown user'), { responseCode: 550 })
          : null,
      ),
    onData: async (stream, { id, envelope: { mailFrom, rcptTo } }, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      const mail = await PostalMime.parse(bytes);
      mails.push({
        envelope: { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) },
        login: logins.get(id),
        mail,
        text: (mail.text ?? '').replaceAll('\r\n', '\n').replace(/\n+$/, ''),
        source: bytes.toString('latin1'),
      });
      done();
    },
  });
  server.on('error', () => {});
  return {
    port: await listen(server.server),
    mails: mails as readonly Mail[],
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
