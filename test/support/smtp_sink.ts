import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import * as certificates from './certificates.ts';

export interface SmtpSinkOptions {
  /** `implicit`: TLS from the first byte, as on port 465. Default `none`. */
  readonly tls?: 'none' | 'starttls' | 'implicit';
  /** Without it the sink offers no AUTH. `methods` defaults to PLAIN. */
  readonly auth?: {
    readonly username: string;
    readonly password: string;
    readonly methods?: readonly string[];
  };
  /** Each may return a reply like `550 5.7.1 no thanks`; `undefined` accepts. */
  readonly onSender?: (address: string) => string | undefined;
  readonly onRecipient?: (address: string) => string | undefined;
  readonly onMessage?: (raw: string) => string | undefined;
  /** More of smtp-server's own options. */
  readonly server?: SMTPServerOptions;
}

export interface SunkMail {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** The message as sent, dots unstuffed, one character a byte (Latin-1). */
  readonly raw: string;
  readonly secure: boolean;
  /** Who authenticated, if anybody. */
  readonly user: string | undefined;
  /** The name after EHLO. */
  readonly ehlo: string;
}

export interface SmtpSink {
  readonly host: '127.0.0.1';
  readonly port: number;
  /** Every mail that the sink took, in order. */
  readonly mails: readonly SunkMail[];
  /** Connections open now. */
  openConnections(): number;
  close(): Promise<void>;
}

/** A real SMTP server on a free port of 127.0.0.1. It greets after 100 ms, as smtp-server will have it. */
export async function startSmtpSink(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const { tls = 'none', auth, onSender, onRecipient, onMessage } = options;
  const mails: SunkMail[] = [];
  const server = new SMTPServer({
    ...certificates.server,
    secure: tls === 'implicit',
    hideSTARTTLS: tls !== 'starttls',
    disabledCommands: auth === undefined ? ['AUTH'] : [],
    authOptional: auth === undefined,
    authMethods: [...(auth?.methods ?? ['PLAIN'])],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) =>
      username === auth?.username && password === auth?.password
        ? done(null, { user: username })
        : done(rejection('535 5.7.8 wrong username or password')),
    onMailFrom: ({ address }, _session, done) => done(rejection(onSender?.(address))),
    onRcptTo: ({ address }, _session, done) => done(rejection(onRecipient?.(address))),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('latin1');
        const error = rejection(onMessage?.(raw));
        if (error === null) {
          const { envelope, secure, user, hostNameAppearsAs: ehlo } = session;
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
          const to = envelope.rcptTo.map(({ address }) => address);
          mails.push({ envelope: { from, to }, raw, secure, user, ehlo });
        }
        done(error);
      });
    },
    ...options.server,
  });
  // A client that cuts the connection is some tests' very point.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: '127.0.0.1',
    port: (server.server.address() as AddressInfo).port,
    mails,
    openConnections: () => server.connections.size,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function rejection(reply: string | undefined): Error | null {
  if (reply === undefined) return null;
  return Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });
}
