import net from 'node:net';
import { Readable } from 'node:stream';
import type tls from 'node:tls';
import type MimeNode from 'nodemailer/lib/mime-node';
import type { MimeNodeEnvelope } from 'nodemailer/lib/mime-node';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SMTPConnectionEnvelope, SMTPEnvelope, SMTPError } from 'nodemailer/lib/smtp-connection';
import { ClientError, type SmtpClient, type SmtpMessage } from '../effects.ts';
import { connectionFailure } from './failure.ts';

export interface SmtpClientOptions {
  /** PEM certificates to trust beside Node's own. */
  readonly ca?: string | readonly string[];
  /** Opens the TCP connection. Tests lead it to a port they own. */
  readonly connect?: (to: { host: string; port: number }) => net.Socket;
}

/**
 * Sends each message over a connection of its own, with nodemailer's composer and SMTP dialogue;
 * the first message loads nodemailer. Not with nodemailer's transport: where the server offers no
 * AUTH it skips that without a word, and one accepted recipient of two is a success to it.
 */
export function createSmtpClient({ ca, connect = net.connect }: SmtpClientOptions = {}): SmtpClient {
  let loading: Promise<Parts> | undefined;
  return async (message) => {
    loading ??= load(ca);
    const parts = await loading;
    await converse(parts, connect, message, await compose(parts, message));
  };
}

interface Parts {
  readonly MimeNode: typeof MimeNode;
  readonly SMTPConnection: typeof SMTPConnection;
  readonly secureContext: tls.SecureContext;
}

async function load(ca: SmtpClientOptions['ca']): Promise<Parts> {
  const [mime, connection] = await Promise.all([
    import('nodemailer/lib/mime-node'),
    import('nodemailer/lib/smtp-connection'),
  ]);
  // Not imported above: TLS takes every cold start 1 ms and 1 MB.
  const tls = process.getBuiltinModule('node:tls');
  // A given `ca` replaces Node's list, so that goes in again.
  const trusted = ca === undefined ? undefined : [...tls.rootCertificates, ...[ca].flat()];
  return {
    MimeNode: mime.default,
    SMTPConnection: connection.default,
    secureContext: tls.createSecureContext({ ca: trusted }),
  };
}

interface Mail {
  readonly envelope: MimeNodeEnvelope;
  readonly bytes: Buffer;
}

/** The message as RFC 5322 wants it. nodemailer adds a Message-ID at the sender's domain. */
async function compose({ MimeNode }: Parts, message: SmtpMessage): Promise<Mail> {
  const { from, to, replyTo, subject, date, text } = message;
  const mime = new MimeNode('text/plain; charset=utf-8', { disableFileAccess: true, disableUrlAccess: true })
    .setHeader({
      // As objects: in a string nodemailer would look for several addresses, and find them (D13).
      From: { address: from },
      To: to.map((address) => ({ address })),
      'Reply-To': replyTo === undefined ? undefined : { address: replyTo },
      Subject: subject,
      Date: new Date(date),
      // RFC 3834, 5: keeps vacation notices from answering.
      'Auto-Submitted': 'auto-generated',
    })
    .setContent(text);
  return { bytes: await mime.build(), envelope: mime.getEnvelope() };
}

/** Resolves when the server took the mail for everybody. No socket survives it, whatever happens. */
function converse(
  { SMTPConnection, secureContext }: Parts,
  connect: NonNullable<SmtpClientOptions['connect']>,
  message: SmtpMessage,
  mail: Mail,
): Promise<void> {
  const { host, port, timeoutMs, credentials } = message;
  return new Promise((resolve, reject) => {
    // Not left to nodemailer, which asks the DNS before the hosts file, even for `localhost`.
    const socket = connect({ host, port });
    let connection: SMTPConnection | undefined;
    let timer = setTimeout(() => fail(`no complete answer within ${timeoutMs} ms`), timeoutMs);

    /** Ends everything; also the way out after success, when the promise no longer listens. */
    function fail(reason: string) {
      // First, because closing says `end`, which comes here again.
      reject(new ClientError(reason));
      clearTimeout(timer);
      connection?.close();
      socket.destroy();
    }

    // Stays for good: a socket can fail late.
    socket.on('error', (error) => fail(connectionFailure(error, closed)));
    socket.once('connect', () => {
      const smtp = new SMTPConnection({
        connection: socket,
        host,
        port,
        secure: port === 465,
        tls: { secureContext },
        // The timer above always comes first.
        connectionTimeout: 2 * timeoutMs,
        greetingTimeout: 2 * timeoutMs,
        socketTimeout: 2 * timeoutMs,
        socketCloseTimeout: 0,
      });
      connection = smtp;
      smtp.on('error', (error) => fail(failure(error)));
      smtp.once('end', () => fail(closedBy(smtp.lastServerResponse)));
      smtp.connect((error) => {
        if (error) return fail(failure(error));
        const obstacle = findObstacle(message, smtp);
        if (obstacle !== undefined) return fail(obstacle);
        if (credentials === undefined) return send();
        const { username: user, password: pass } = credentials;
        smtp.login({ method: 'PLAIN', credentials: { user, pass } }, (error) =>
          error ? fail(failure(error)) : send(),
        );
      });

      function send() {
        const envelope: EnvelopeWithReplies = { ...mail.envelope, size: mail.bytes.length };
        smtp.send(envelope, bodyOnceAllAgree(envelope, mail.bytes), (error) => {
          if (error) return fail(failure(error));
          resolve();
          clearTimeout(timer);
          // Keeps no process alive, and does no harm after a function's freeze.
          timer = setTimeout(() => socket.destroy(), partingMs).unref();
          smtp.quit();
        });
      }
    });
  });
}

/** How long a server may take to answer QUIT. Nobody waits for it. */
const partingMs = 1000;

const closed = 'the connection closed before the server accepted the message';

/** RFC 5321, 3.8: a server that must go says 421 first. */
function closedBy(lastReply: string | false): string {
  return lastReply !== false && lastReply.startsWith('421') ? `${closed}: ${replyCodes(lastReply)}` : closed;
}

/** Why this server, by what its EHLO offers, must get neither password nor mail (D17). */
function findObstacle(
  { tls, host, credentials }: SmtpMessage,
  { secure, lastServerResponse }: SMTPConnection,
): string | undefined {
  const offers = (extension: RegExp) => extension.test(lastServerResponse || '');
  if (!secure && tls === 'required') return 'the server offers no STARTTLS and tls is "required"';
  if (!secure && credentials && !isLoopback(host)) {
    return 'the password is not sent in the clear, and the server offers no STARTTLS (port 465 may do)';
  }
  if (credentials && !offers(/^250[ -]AUTH[ =](.*[ =])?PLAIN\b/im)) {
    return 'a username is set and the server offers no AUTH PLAIN';
  }
  return undefined;
}

function isLoopback(host: string): boolean {
  return (
    host.toLowerCase() === 'localhost' || host === '::1' || (net.isIPv4(host) && host.startsWith('127.'))
  );
}

/** nodemailer notes on the envelope which recipients the server refused. */
type EnvelopeWithReplies = SMTPEnvelope & Partial<Pick<SMTPConnectionEnvelope, 'rejectedErrors'>>;

/**
 * The mail's bytes, which nodemailer starts to read when the server asks for them. By then every
 * recipient is answered: if one was refused, this fails, and the connection ends before the
 * mail does. So the server discards it (RFC 5321, 4.1.1.10), and a retry sends nobody a second copy.
 */
function bodyOnceAllAgree(envelope: EnvelopeWithReplies, bytes: Buffer): Readable {
  return Readable.from(
    (function* () {
      const [refusal] = envelope.rejectedErrors ?? [];
      if (refusal) throw new ClientError(failure(refusal));
      yield bytes;
    })(),
  );
}

/** The operator's reason. Of the server's words only the codes: the text can repeat an address. */
function failure(error: SMTPError): string {
  if (error instanceof ClientError) return error.message;
  const { code, command = '', response, originalCode, syscall, name } = error;
  if (response !== undefined) {
    const codes = replyCodes(response);
    return /^[45]/.test(codes)
      ? `${refusals[command] ?? 'the server refused'}: ${codes}`
      : 'the answer is not SMTP';
  }
  switch (code) {
    case 'EAUTH':
      return 'the username or the password is empty';
    case 'EENVELOPE':
      return 'the message has no valid sender or recipient';
    case 'EMESSAGE':
      return 'the message is larger than the server takes';
    case 'EPROTOCOL':
      return 'the answer is not SMTP';
    case 'ECONNECTION':
    case 'ETLS':
      return closed;
    default:
      return connectionFailure({ code: originalCode ?? code, syscall, name, message: '' }, closed);
  }
}

const refusals: Readonly<Record<string, string>> = {
  CONN: 'the server refused the connection',
  EHLO: 'the server refused EHLO',
  HELO: 'the server refused HELO',
  STARTTLS: 'the server refused STARTTLS',
  'AUTH PLAIN': 'authentication refused',
  'MAIL FROM': 'the server refused the sender',
  'RCPT TO': 'the server refused a recipient',
  DATA: 'the server refused the message',
};

/** `550 5.7.1`: the reply's code and, where it has one, its enhanced code (RFC 3463). */
function replyCodes(reply: string): string {
  const [, code = '', enhanced] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})\b)?/.exec(reply) ?? [];
  return enhanced === undefined ? code : `${code} ${enhanced}`;
}
