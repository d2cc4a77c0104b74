import type net from 'node:net';
import type { SecureContext } from 'node:tls';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { ClientError, failed } from '../../client_error.ts';
import type { SmtpServer, SmtpSession } from '../../effects.ts';
import { isLoopback } from '../../url.ts';
import { certificateUntil } from '../reach.ts';
import type { Mail } from './compose.ts';
import { brokenConnection, connectionClosed, failureOf } from './failure.ts';
import { type Extensions, Transaction } from './transaction.ts';

/** Opens the TCP connection. */
export type Connect = (to: { host: string; port: number }) => net.Socket;

/** nodemailer's dialogue, and whom TLS trusts. */
export interface Dialogue {
  readonly SMTPConnection: typeof SMTPConnection;
  readonly secureContext: SecureContext;
}

/** @param ca PEM certificates to trust beside Node's own. */
export async function loadDialogue(ca: string | readonly string[] | undefined): Promise<Dialogue> {
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection');
  // Not imported above: TLS takes every cold start 1 ms and 1 MB.
  const tls = process.getBuiltinModule('node:tls');
  // A given `ca` replaces Node's list, so that goes in again.
  const trusted = ca === undefined ? undefined : [...tls.rootCertificates, ...[ca].flat()];
  return { SMTPConnection, secureContext: tls.createSecureContext({ ca: trusted }) };
}

/**
 * One connection to a server. nodemailer makes it ready for mails: greeting, EHLO, TLS, AUTH. The mails themselves are
 * written here, one after the other: nodemailer would send a mail through streams of its own, at three times the cost,
 * and one accepted recipient of two is a success to it.
 *
 * Whatever fails closes it. It keeps no process alive: that is for those who wait.
 */
export class Connection {
  /** Takes no more mails. */
  isClosed = false;
  /** The other side closed it, or the network broke it, before the text of a mail was sent. */
  isLost = false;
  /** It closed because MAIL was refused, which may mean the sender, or that the connection had its share of mails. */
  isRefused = false;
  /** How many were sent. */
  mails = 0;
  readonly #dialogue: Dialogue;
  readonly #server: SmtpServer;
  readonly #tcp: net.Socket;
  #smtp: SMTPConnection | undefined;
  /** With TLS, the encrypted one. */
  #socket: net.Socket;
  #extensions: Extensions = { pipelining: false, size: undefined };
  #transaction: Transaction | undefined;
  /** What came of a reply that is not complete. */
  #input = '';
  #resolve: () => void = () => {};
  #reject: (reason: ClientError) => void = () => {};

  constructor(dialogue: Dialogue, connect: Connect, server: SmtpServer) {
    this.#dialogue = dialogue;
    this.#server = server;
    // Not left to nodemailer, which asks the DNS before the hosts file, even for `localhost`.
    this.#tcp = connect({ host: server.host, port: server.port }).unref();
    this.#socket = this.#tcp;
    // Stays for good: a socket can fail late.
    this.#tcp.on('error', (error) => this.#lose(brokenConnection(error)));
  }

  /** Connect, greeting, TLS, AUTH. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#tcp.once('connect', () => this.#greet());
    });
  }

  #greet() {
    const { host, port, credentials } = this.#server;
    const { SMTPConnection, secureContext } = this.#dialogue;
    const smtp = new SMTPConnection({
      connection: this.#tcp,
      host,
      port,
      secure: port === 465,
      tls: { secureContext },
      connectionTimeout: neverMs,
      greetingTimeout: neverMs,
      socketTimeout: neverMs,
      socketCloseTimeout: 0,
    });
    this.#smtp = smtp;
    smtp.on('error', (error) => this.#lose(failureOf(error)));
    smtp.once('end', () => this.#lose(connectionClosed(smtp.lastServerResponse || undefined)));
    smtp.connect((error) => {
      if (error) return this.close(failureOf(error));
      const ehlo = smtp.lastServerResponse || '';
      const obstacle = findObstacle(this.#server, this.#tcp.remoteAddress, smtp.secure, ehlo);
      if (obstacle !== undefined) return this.close(obstacle);
      this.#extensions = extensions(ehlo);
      if (credentials === undefined) return this.#takeOver(smtp);
      const { username: user, password: pass } = credentials;
      smtp.login({ method: 'PLAIN', credentials: { user, pass } }, (error) =>
        error ? this.close(failureOf(error)) : this.#takeOver(smtp),
      );
    });
  }

  /** From here on, nodemailer hears of errors and of the end, but no reply any more. */
  #takeOver(smtp: SMTPConnection) {
    this.#socket = smtp._socket || this.#tcp;
    this.#socket.removeAllListeners('data').on('data', (chunk: Buffer) => this.#read(chunk));
    this.#resolve();
  }

  /** What there is to say about an open connection. */
  get session(): SmtpSession {
    return {
      isSecure: this.#smtp?.secure ?? false,
      certificateUntil: certificateUntil(this.#socket),
    };
  }

  /** Resolves when the server took the mail for every recipient. */
  send(mail: Mail): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      const { size } = this.#extensions;
      if (size && mail.source.length > size) {
        return this.close(failed('message_too_large'));
      }
      this.mails += 1;
      this.#transaction = new Transaction(mail, this.#extensions);
      this.#write(this.#transaction.opening);
    });
  }

  /** All of a mail is ASCII, and what is of one byte a character is written in half the time. */
  #write(text: string) {
    this.#socket.write(text, 'latin1');
  }

  #read(chunk: Buffer) {
    this.#input += chunk.toString('latin1');
    for (let end = this.#input.indexOf('\n'); end >= 0; end = this.#input.indexOf('\n')) {
      const line = this.#input.slice(0, end).trimEnd();
      this.#input = this.#input.slice(end + 1);
      // `250-` is a line of a reply, `250 ` its last.
      if (line !== '' && line[3] !== '-') this.#reply(line);
    }
    if (this.#input.length > longestLine) this.close(failed('not_smtp'));
  }

  #reply(reply: string) {
    if (this.isClosed) return;
    // 421 answers anything, and means that the server is about to leave (RFC 5321, 3.8). Nothing else may come unasked.
    if (this.#transaction === undefined || reply.startsWith('421'))
      return this.#lose(connectionClosed(reply));
    const next = this.#transaction.next(reply);
    if (next === 'accepted') {
      this.#transaction = undefined;
      this.#resolve();
    } else if (next instanceof ClientError) {
      this.isRefused = !this.#transaction.isBegun;
      this.close(next);
    } else if (this.#transaction.isTextSent && this.#input.trim() !== '') {
      // It goes on before it can have read the text: that would pass for its answer.
      this.close(failed('not_smtp'));
    } else if (next !== '') {
      this.#write(next);
    }
  }

  /** Ends everything, and fails what is under way. */
  close(reason: ClientError) {
    this.isClosed = true;
    this.#reject(reason);
    this.#smtp?.close();
    this.#tcp.destroy();
  }

  /** Says goodbye. Nobody needs to wait for the answer. */
  quit() {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#socket.end('QUIT\r\n');
    const timer = setTimeout(() => this.#tcp.destroy(), partingMs).unref();
    this.#tcp.once('close', () => clearTimeout(timer));
  }

  /** Resolves when the server, too, has closed it. */
  get gone(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#tcp.closed) resolve();
      else this.#tcp.once('close', resolve);
    });
  }

  #lose(reason: ClientError) {
    // Closing says `end`, which comes here again.
    if (this.isClosed) return;
    this.isLost = !this.#transaction?.isTextSent;
    this.close(reason);
  }
}

/** nodemailer's own limits. Each message has its own, at most 25 s (D15), and it comes first. */
const neverMs = 60_000;

/** How long a server may take to answer QUIT. */
const partingMs = 1_000;

/** RFC 5321, 4.5.3.1.5 allows a reply's line 512 bytes. */
const longestLine = 65_536;

/** Why this server, by what its EHLO offers, must get neither password nor mail (D17). */
function findObstacle(
  { tls, host, credentials }: SmtpServer,
  peer: string | undefined,
  isSecure: boolean,
  ehlo: string,
): ClientError | undefined {
  if (!isSecure && tls === 'required') {
    return failed('no_starttls');
  }
  // A name alone can lie: not every system keeps those under `.localhost` out of the DNS.
  const isHere = isLoopback(host) && isLoopback(peer ?? '');
  if (!isSecure && credentials && !isHere) {
    return failed('no_starttls_for_password');
  }
  if (credentials && !/^250[ -]AUTH[ =](.*[ =])?PLAIN\b/im.test(ehlo)) {
    return failed('no_auth_plain');
  }
  return undefined;
}

function extensions(ehlo: string): Extensions {
  const size = /^250[ -]SIZE(?:[ =](\d+))?\s*$/im.exec(ehlo);
  return {
    pipelining: /^250[ -]PIPELINING\s*$/im.test(ehlo),
    size: size ? Number(size[1] ?? 0) : undefined,
  };
}
