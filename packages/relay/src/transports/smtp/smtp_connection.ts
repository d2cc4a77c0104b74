import net, { isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import type { SecureContext } from 'node:tls';
import { hostName } from '../../base/address.ts';
import { type Awaited, type ClientError, failed } from '../../base/client_error.ts';
import type { Streamed } from '../../base/streamed.ts';
import { type ComposedMail, sizeOf } from '../mail/compose.ts';
import { certificateUntil, connectionFailure, connectOptions, yieldingPieces } from '../socket.ts';
import {
  connectionClosed,
  type Dialogue,
  isDone,
  type Reply,
  ReplyReader,
  recipientRefusal,
  refusal,
  type SmtpServer,
} from './reply.ts';
import { type Extensions, openSession } from './session.ts';

/** How a dialogue stood when a mail could have followed. */
export interface SmtpSession {
  readonly isSecure: boolean;
  /** Milliseconds since the epoch; `undefined` without TLS. */
  readonly certificateUntil: number | undefined;
}

/** Learns how its mail ended: either of these is called, once. */
export interface Sender {
  /** The server took the mail for every recipient. */
  taken(): void;
  /** With a `ClientError`, unless the relay has a bug. */
  failed(reason: unknown): void;
}

/**
 * One connection to a server: it is opened, carries mails one after the other, and is closed by the first failure. It
 * does not keep the process alive; the timer of a mail does.
 *
 * To open it waits for one reply after the other. The replies to a mail go to methods that are bound once: a promise for
 * each would take longer than everything else about them.
 */
export class Connection implements Dialogue {
  isSecure = false;
  /** Takes no more mails. */
  isClosed = false;
  /** The other side closed it, or the network broke it, before the text of a mail was sent. */
  isLost = false;
  /** How many were sent. */
  mails = 0;
  /** When its last mail ended, in milliseconds since the epoch, and what ends its rest. */
  restsSince = 0;
  restTimer: NodeJS.Timeout | undefined;
  readonly #options: ResolvedOptions;
  readonly #server: SmtpServer;
  readonly #tcp: Socket;
  /** With TLS, the encrypted one. */
  #socket: Socket;
  readonly #replies = new ReplyReader();
  /** What comes next, unless the connection closes. */
  #awaited: Awaited = 'greeting';
  #extensions: Extensions = { pipelining: false, size: undefined };
  #isGreeted = false;
  /** It is opened or has a mail: replies are expected, though maybe not yet. */
  #isBusy = false;
  /** Takes the next reply, if one is waited for. It may throw why the connection is closed then. */
  #hear: ((reply: Reply) => void) | undefined;
  /** Takes the reason for closing, if something waits. */
  #fail: ((reason: ClientError) => void) | undefined;
  /** Why it closed. */
  #reason: ClientError | undefined;
  /** The mail under way, who learns how it ends, and how many replies to its envelope there were. */
  #mail: ComposedMail | undefined;
  #sender: Sender | undefined;
  #replied = 0;
  /** The text of the mail under way was sent: the server may have the mail. */
  #isTextSent = false;
  /** Ends the wait for room, if the server says something instead. */
  #goOn: (() => void) | undefined;
  readonly #hearEnvelope = (reply: Reply) => this.#onEnvelope(reply);
  readonly #hearVerdict = (reply: Reply) => this.#onVerdict(reply);
  readonly #failMail = (reason: unknown) => this.#endMail()?.failed(reason);

  constructor(options: ResolvedOptions, { host, port, tls, credentials, timeoutMs }: SmtpServer) {
    this.#options = options;
    // Not the message that it is made for: the connection outlives it, and would keep its files.
    this.#server = { host, port, tls, credentials, timeoutMs };
    this.#tcp = options.connect({ ...connectOptions, host, port, onread: this.#onRead() }).unref();
    this.#socket = this.#tcp;
    this.#listen(this.#tcp);
  }

  /** Connect, greeting, TLS, AUTH. */
  async open(): Promise<void> {
    this.#isBusy = true;
    try {
      await this.#event((connected) => this.#tcp.once('connect', connected));
      this.#extensions = await openSession(this, this.#server, this.#options.ehloName);
    } catch (error) {
      this.close(error as ClientError);
      throw error;
    }
    this.#isBusy = false;
    this.#rest();
  }

  /**
   * One refused recipient ends the mail for all, before the text is sent. If the connection then closes, the server
   * discards the mail (RFC 5321, 4.1.1.10), and a retry sends nobody a second copy.
   */
  send(mail: ComposedMail, sender: Sender) {
    if (this.#reason) return sender.failed(this.#reason);
    this.#isBusy = true;
    this.#mail = mail;
    this.#sender = sender;
    this.#fail = this.#failMail;
    this.#awaited = 'acceptance';
    const { pipelining, size: most } = this.#extensions;
    const size = sizeOf(mail);
    if (most && size > most) return this.close(failed('message_too_large', { size, most }));
    this.mails += 1;
    this.#replied = 0;
    this.#hear = this.#hearEnvelope;
    const { from, to } = mail.envelope;
    let commands = `MAIL FROM:<${from}>${most === undefined ? '' : ` SIZE=${size}`}\r\n`;
    if (pipelining) {
      for (const address of to) commands += `RCPT TO:<${address}>\r\n`;
      commands += 'DATA\r\n';
    }
    this.#write(commands);
  }

  /** The replies to MAIL, to RCPT for each recipient, and to DATA, in this order. */
  #onEnvelope(reply: Reply): void {
    const { to } = (this.#mail as ComposedMail).envelope;
    const place = this.#replied;
    const isData = place > to.length;
    // Not 250 too: it might be the answer to another command, and the mail would pass for taken (RFC 5321, 4.3.2).
    const isAccepted = isData ? reply.code === '354' : isDone(reply);
    if (!isAccepted) {
      if (isData || place === 0) throw refusal(isData ? 'DATA' : 'MAIL', reply);
      throw recipientRefusal(reply, place, to.length);
    }
    this.#replied += 1;
    if (!isData && this.#extensions.pipelining) return;
    // Said before it was asked, maybe by somebody in between (RFC 3207, 6). It must not pass for the answer.
    if (!this.#replies.isEmpty) throw failed('not_smtp');
    if (isData) this.#sendText(this.#mail as ComposedMail);
    else this.#write(place === to.length ? 'DATA\r\n' : `RCPT TO:<${to[place]}>\r\n`);
  }

  #sendText({ source, rest }: ComposedMail): void {
    if (rest) {
      void this.#sendFiles(stuffed(source), rest);
      return;
    }
    // Looked through with its end, since to append that afterwards would copy all of it once more.
    const text = source + endOfMail;
    const isStuffed = text.indexOf('\n.') === source.length - 1;
    this.#endText(isStuffed ? text : stuffed(source) + endOfMail);
  }

  /** As fast as the server takes them. */
  async #sendFiles(text: string, files: Streamed): Promise<void> {
    this.#hear = undefined;
    try {
      this.#write(text);
      await this.#writeAll(files);
      this.#endText(endOfMail);
      this.#heed();
    } catch (error) {
      this.close(error as ClientError);
      this.#failMail(error);
    }
  }

  #endText(text: string): void {
    this.#isTextSent = true;
    this.#hear = this.#hearVerdict;
    this.#fail = this.#failMail;
    this.#write(text);
  }

  #onVerdict(reply: Reply): void {
    if (!isDone(reply)) throw refusal('DATA', reply);
    this.#isTextSent = false;
    const sender = this.#endMail();
    this.#rest();
    sender?.taken();
  }

  /** Gives whoever is to learn of it, unless that was done. */
  #endMail(): Sender | undefined {
    const sender = this.#sender;
    this.#isBusy = false;
    this.#mail = undefined;
    this.#sender = undefined;
    this.#hear = undefined;
    this.#fail = undefined;
    return sender;
  }

  async ask(command?: string): Promise<Reply> {
    if (command !== undefined) {
      // Said before it was asked, maybe by somebody in between (RFC 3207, 6).
      if (!this.#replies.isEmpty) throw failed('not_smtp');
      this.#awaited = stages[command.split(' ', 1)[0] ?? ''] ?? this.#awaited;
      this.#write(`${command}\r\n`);
    }
    return this.#reply();
  }

  async secure(): Promise<void> {
    const { host } = this.#server;
    const { connect } = process.getBuiltinModule('node:tls');
    this.#awaited = 'tls';
    this.#tcp.removeAllListeners('data');
    await this.#event((secured) => {
      this.#socket = connect(
        {
          socket: this.#tcp,
          host,
          // RFC 6066, 3: the name that is asked for is no IP address.
          servername: isIP(host) ? '' : host,
          secureContext: this.#options.secureContext(),
        },
        secured,
      );
      this.#listen(this.#socket);
    });
    this.isSecure = true;
    this.#awaited = 'greeting';
  }

  get localAddress(): string {
    return this.#tcp.localAddress ?? '';
  }

  get remoteAddress(): string {
    return this.#tcp.remoteAddress ?? '';
  }

  /** What there is to say about an open connection. */
  get session(): SmtpSession {
    return { isSecure: this.isSecure, certificateUntil: certificateUntil(this.#socket) };
  }

  /** Ends everything, and fails what is under way. */
  close(reason: ClientError): void {
    this.isClosed = true;
    this.#reason ??= reason;
    // `restTimer` goes on: when it fires, the pool forgets the connection, and then itself.
    this.#socket.destroy();
    this.#tcp.destroy();
    const fail = this.#fail;
    this.#hear = undefined;
    this.#fail = undefined;
    fail?.(reason);
  }

  /** There is no more time for what is under way. */
  expire(timeoutMs: number): void {
    this.close(failed('timed_out', { timeoutMs, before: this.#awaited }));
  }

  /** Says goodbye. Nobody needs to wait for the answer. */
  quit(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.restTimer);
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

  /** Nobody asked for what comes now: most likely a 421, before the server hangs up (RFC 5321, 3.8). */
  #rest(): void {
    if (!this.#replies.isEmpty) this.#lose(connectionClosed(this.#awaited));
  }

  /** All connections read into one buffer: what comes is looked at in the call that brings it. */
  #onRead() {
    return {
      buffer: incoming,
      callback: (count: number): true => {
        this.#read(incoming, count);
        return true;
      },
    };
  }

  #read(bytes: Buffer, count: number): void {
    this.#replies.add(bytes.toString('latin1', 0, count));
    if (this.#isBusy) this.#heed();
    else this.#rest();
    this.#goOn?.();
  }

  #listen(socket: Socket): void {
    // Without `onread`, which Node offers to no TLS socket over another one.
    socket.on('data', (chunk: Buffer) => this.#read(chunk, chunk.length));
    // Never removed: a socket can still fail after it was closed.
    socket.on('error', (error) => this.#lose(connectionFailure(error, this.#awaited)));
    socket.once('end', () => this.#lose(connectionClosed(this.#awaited)));
    socket.once('close', () => this.#lose(connectionClosed(this.#awaited)));
  }

  /** Gives each reply to what waits for it. */
  #heed() {
    while (this.#hear !== undefined) {
      const reply = this.#replies.next();
      if (reply === undefined) return;
      if (reply === 'malformed') return this.close(failed('not_smtp'));
      // It answers anything, and means that the server is about to leave (RFC 5321, 3.8).
      if (reply.code === '421' && this.#isGreeted) return this.#lose(connectionClosed(this.#awaited, reply));
      this.#isGreeted = true;
      try {
        this.#hear(reply);
      } catch (error) {
        const isBug = this.#fail === undefined;
        this.close(error as ClientError);
        // The answer has arrived, and the bug is in what its receiver does with it.
        if (isBug) throw error;
      }
    }
  }

  #reply(): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#reason) return reject(this.#reason);
      this.#fail = reject;
      this.#hear = (reply) => {
        this.#hear = undefined;
        resolve(reply);
      };
      this.#heed();
    });
  }

  /** Waits for an event of the socket. */
  #event(listen: (happened: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#reason) return reject(this.#reason);
      this.#fail = reject;
      listen(resolve);
    });
  }

  /** All of a mail is ASCII, and what is of one byte a character is written in half the time. */
  #write(text: string): void {
    this.#socket.write(text, 'latin1');
  }

  /** A server that answers in the midst of a mail does not want it. */
  async #writeAll(streamed: Streamed): Promise<void> {
    for await (const piece of yieldingPieces(streamed)) {
      if (this.#reason) throw this.#reason;
      this.#socket.write(piece, (error) => {
        if (!error) this.#goOn?.();
      });
      // The next piece may be written over this one.
      if (this.#socket.writableLength > 0) await this.#written();
      if (!this.#replies.isEmpty) throw refusal('DATA', await this.#reply());
    }
    if (this.#reason) throw this.#reason;
  }

  /** Waits until the piece is sent, or until the server says something. */
  #written(): Promise<void> {
    return this.#event((happened) => {
      this.#goOn = () => {
        this.#goOn = undefined;
        happened();
      };
    });
  }

  #lose(reason: ClientError): void {
    if (this.isClosed) return;
    this.isLost = !this.#isTextSent;
    this.close(reason);
  }
}

/** What the answer to a command is in words. Whatever is said in between belongs to the one before. */
const stages: Readonly<Record<string, Awaited>> = {
  EHLO: 'ehlo',
  HELO: 'ehlo',
  STARTTLS: 'tls',
  AUTH: 'login',
};

/** Node reads into it and calls back at once, so what one connection has read is never there for another. */
const incoming = Buffer.allocUnsafeSlow(65_536);

const endOfMail = '.\r\n';

/** A line that is a dot would end the mail (RFC 5321, 4.5.2). */
const stuffed = (source: string) => source.replaceAll('\n.', '\n..');

/** How long a server may take to answer QUIT. */
const partingMs = 1_000;

/** What every connection of a client needs. */
export interface ResolvedOptions {
  readonly connect: (to: net.TcpNetConnectOpts) => net.Socket;
  /** Whom TLS trusts. Made when first asked for. */
  readonly secureContext: () => SecureContext;
  /** `undefined`: the machine has no name, and gives its address. */
  readonly ehloName: string | undefined;
}

export interface SmtpOptions {
  /** PEM certificates to trust beside Node's own. */
  readonly ca?: string | readonly string[];
  /** Opens the TCP connection. Tests lead it to a port they own, and leave the other options as they are. */
  readonly connect?: ResolvedOptions['connect'];
  /** What this machine calls itself. Default: its name, if that is one of the DNS. */
  readonly ehloName?: string | undefined;
}

export function resolveOptions({
  ca,
  connect = (to) => net.connect(to),
  ehloName = machineName(),
}: SmtpOptions): ResolvedOptions {
  let secureContext: SecureContext | undefined;
  return {
    connect,
    ehloName,
    secureContext: () => {
      if (secureContext) return secureContext;
      // Not imported above: TLS takes every cold start 1 ms and 1 MB.
      const tls = process.getBuiltinModule('node:tls');
      // A given `ca` replaces Node's list, so that goes in again.
      const trusted = ca === undefined ? undefined : [...tls.rootCertificates, ...[ca].flat()];
      secureContext = tls.createSecureContext({ ca: trusted });
      return secureContext;
    },
  };
}

/** `undefined` for a name that only this machine knows. */
function machineName(): string | undefined {
  const name = hostName(hostname());
  return name?.includes('.') && !name.endsWith('.localdomain') ? name : undefined;
}
