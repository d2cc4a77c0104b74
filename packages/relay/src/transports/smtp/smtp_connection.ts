import net, { type Socket } from 'node:net';
import { hostname } from 'node:os';
import type { SecureContext } from 'node:tls';
import { hostName } from '../../base/address.ts';
import { type Awaited, type ClientError, failed } from '../../base/client_error.ts';
import type { Streamed } from '../../base/streamed.ts';
import { type ComposedMail, sizeOf } from '../mail/compose.ts';
import {
  certificateUntil,
  connectionFailure,
  connectOptions,
  serverName,
  yieldingPieces,
} from '../socket.ts';
import {
  asksForText,
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

/** A session that is ready for a mail. */
export interface SmtpSession {
  readonly isSecure: boolean;
  /** Milliseconds since the epoch; `undefined` without TLS. */
  readonly certificateUntil: number | undefined;
}

/** Receives the end of its mail: one call of either method. */
export interface Sender {
  /** The server took the mail for every recipient, and said so. */
  taken(reply: Reply): void;
  /** @param reason A `ClientError`, unless the relay has a bug. */
  failed(reason: unknown): void;
}

/**
 * A connection to a server, which carries mails one after the other until the first failure. Only the timer of a mail
 * keeps the process alive.
 *
 * Opening awaits one reply after the other. The replies to a mail go to methods that are bound once: a promise for each
 * would take longer than all other work on them.
 */
export class Connection implements Dialogue {
  isSecure = false;
  /** Takes no more mails. */
  isClosed = false;
  /** The other side closed it, or the network broke it, before the text of a mail was sent. */
  isLost = false;
  /** The number of mails sent. */
  mails = 0;
  /** The end of its last mail, in milliseconds since the epoch, and the timer that ends its idle time. */
  restsSince = 0;
  restTimer: NodeJS.Timeout | undefined;
  readonly #options: ResolvedOptions;
  readonly #server: SmtpServer;
  readonly #tcp: Socket;
  /** With TLS, the encrypted one. */
  #socket: Socket;
  readonly #replies = new ReplyReader();
  /** The step that comes next. */
  #awaited: Awaited = 'greeting';
  #extensions: Extensions = { pipelining: false, size: undefined, mostMails: 1 };
  #isGreeted = false;
  /** Whether it is opening or has a mail, so that replies are expected. */
  #isBusy = false;
  /** Takes the next reply. May throw the reason to close the connection. */
  #hear: ((reply: Reply) => void) | undefined;
  /** Takes the reason for closing. */
  #fail: ((reason: ClientError) => void) | undefined;
  /** The reason why it closed. */
  #reason: ClientError | undefined;
  /** The mail under way, its sender, and the number of replies to its envelope. */
  #mail: ComposedMail | undefined;
  #sender: Sender | undefined;
  #replied = 0;
  /** The number of replies to an envelope sent at once that are still to come. */
  #due = 0;
  /** Whether DATA was sent and neither refused nor done, so that the server may take any line for one of the mail. */
  #isTextDue = false;
  /** Whether the text of the mail was sent, so that the server may have the mail. */
  #isTextSent = false;
  /** Ends the wait for a write, also when the server replies instead. */
  #goOn: (() => void) | undefined;
  readonly #hearEnvelope = (reply: Reply) => this.#onEnvelope(reply);
  readonly #hearVerdict = (reply: Reply) => this.#onVerdict(reply);
  readonly #failMail = (reason: unknown) => this.#endMail()?.failed(reason);

  constructor(options: ResolvedOptions, server: SmtpServer) {
    const { host, port, tls, credentials, timeoutMs, mailsPerConnection } = server;
    this.#options = options;
    // Copied: the connection outlives the message and would keep its files in memory.
    this.#server = { host, port, tls, credentials, timeoutMs, mailsPerConnection };
    this.#tcp = options.connect({ ...connectOptions, host, port }).unref();
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
   * A refused recipient ends the mail for all, before the text is sent. With QUIT, or when the connection closes, the
   * server discards the mail (RFC 5321, 4.1.1.10), so a retry sends no second copies.
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
      this.#due = to.length + 2;
      this.#isTextDue = true;
    }
    this.#write(commands);
  }

  /** Takes the replies to MAIL, to RCPT for each recipient, and to DATA, in this order. */
  #onEnvelope(reply: Reply): void {
    const { to } = (this.#mail as ComposedMail).envelope;
    const place = this.#replied;
    const isData = place > to.length;
    // Not 250 too: a reply to another command would make the mail pass for taken (RFC 5321, 4.3.2).
    const isAccepted = isData ? asksForText(reply) : isDone(reply);
    if (this.#due > 0) this.#due -= 1;
    if (!isAccepted) {
      if (isData) this.#isTextDue = false;
      if (isData || place === 0) throw refusal(isData ? 'DATA' : 'MAIL', reply);
      throw recipientRefusal(reply, place, to.length);
    }
    this.#replied += 1;
    if (!isData && this.#extensions.pipelining) return;
    // A reply from before the command, maybe injected (RFC 3207, 6), must not pass for the answer.
    if (!this.#replies.isEmpty) throw failed('not_smtp');
    if (isData) {
      this.#sendText(this.#mail as ComposedMail);
    } else if (place === to.length) {
      this.#isTextDue = true;
      this.#write('DATA\r\n');
    } else {
      this.#write(`RCPT TO:<${to[place]}>\r\n`);
    }
  }

  #sendText({ source, rest }: ComposedMail): void {
    if (rest) {
      void this.#sendFiles(stuffed(source), rest);
      return;
    }
    // The end is appended first, since appending it after the search would copy the text once more.
    const text = source + endOfMail;
    const isStuffed = text.indexOf('\n.') === source.length - 1;
    this.#endText(isStuffed ? text : stuffed(source) + endOfMail);
  }

  /** Sends files as fast as the server takes them. */
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
    this.#isTextDue = false;
    if (!isDone(reply)) throw refusal('DATA', reply);
    this.#isTextSent = false;
    const sender = this.#endMail();
    this.#rest();
    sender?.taken(reply);
  }

  /** Returns the sender to notify, once. */
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
      // A reply from before the command, maybe injected (RFC 3207, 6).
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
          servername: serverName(host),
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

  /** Whether it has carried all the mails that it may. */
  get isFull(): boolean {
    return this.mails >= this.#extensions.mostMails;
  }

  get isGone(): boolean {
    return this.#tcp.closed;
  }

  /** The state of an open connection. */
  get session(): SmtpSession {
    return { isSecure: this.isSecure, certificateUntil: certificateUntil(this.#socket) };
  }

  /** Ends the session and fails what is under way. */
  close(reason: ClientError): void {
    const isSecuring = this.#socket !== this.#tcp && !this.isSecure;
    this.#end(reason, this.#isGreeted && !isSecuring && reason.code !== 'not_smtp');
  }

  /** @param isHeard Whether the server is there to hear QUIT. */
  #end(reason: ClientError, isHeard: boolean): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#reason = reason;
    // `restTimer` continues: it makes the pool forget the connection, and then itself.
    const fail = this.#fail;
    this.#hear = undefined;
    this.#fail = undefined;
    if (isHeard) this.#part();
    else this.#hangUp();
    fail?.(reason);
  }

  /** Closes the connection because the time is up. */
  expire(timeoutMs: number): void {
    this.close(failed('timed_out', { timeoutMs, before: this.#awaited }));
  }

  /** Sends QUIT without waiting for the reply. */
  quit(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.restTimer);
    this.#part();
  }

  /** Says QUIT (RFC 5321, 4.1.1.10), for whose answer nothing waits. */
  #part(): void {
    const timer = setTimeout(() => this.#hangUp(), partingMs).unref();
    this.#tcp.once('close', () => clearTimeout(timer));
    if (this.#isTextDue) this.#hearOut();
    else this.#socket.end(quit);
  }

  /** Says QUIT once the server has refused DATA, and hangs up where it would be a line of the mail. */
  #hearOut(): void {
    let isHeard = this.#due > 0;
    for (; isHeard && this.#due > 0; this.#due -= 1) {
      const reply = this.#replies.next();
      if (reply === undefined) return;
      isHeard = reply !== 'malformed' && !asksForText(reply);
    }
    if (isHeard) this.#socket.end(quit);
    else this.#hangUp();
  }

  #hangUp(): void {
    this.#socket.destroy();
    this.#tcp.destroy();
  }

  /** Resolves when the server has closed the connection too. */
  get gone(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isGone) resolve();
      else this.#tcp.once('close', resolve);
    });
  }

  /** Closes the connection after an unsolicited reply, most likely a 421 (RFC 5321, 3.8). */
  #rest(): void {
    if (!this.#replies.isEmpty) this.#lose(connectionClosed(this.#awaited));
  }

  #read(bytes: Buffer): void {
    // What comes after QUIT is not kept.
    if (this.isClosed && this.#due === 0) return;
    this.#replies.add(bytes.toString('latin1'));
    if (this.isClosed) this.#hearOut();
    else if (this.#isBusy) this.#heed();
    else this.#rest();
    this.#goOn?.();
  }

  #listen(socket: Socket): void {
    // Not `onread`: a socket with it gives no bytes to the TLS socket over it.
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    // Never removed: a socket can still fail after it closed.
    socket.on('error', (error) => this.#lose(connectionFailure(error, this.#awaited)));
    socket.once('end', () => this.#lose(connectionClosed(this.#awaited)));
    socket.once('close', () => this.#lose(connectionClosed(this.#awaited)));
  }

  /** Passes each reply on. */
  #heed() {
    while (this.#hear !== undefined) {
      const reply = this.#replies.next();
      if (reply === undefined) return;
      if (reply === 'malformed') return this.close(failed('not_smtp'));
      // 421 may answer any command: the server is shutting down (RFC 5321, 3.8).
      if (reply.code === '421' && this.#isGreeted) return this.#lose(connectionClosed(this.#awaited, reply));
      this.#isGreeted = reply.code !== '421';
      try {
        this.#hear(reply);
      } catch (error) {
        const isBug = this.#fail === undefined;
        this.close(error as ClientError);
        // The receiver of the reply has a bug.
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

  /** Mails are ASCII, and writing latin1 takes half the time. */
  #write(text: string): void {
    this.#socket.write(text, 'latin1');
  }

  /** Stops if the server replies amid a mail, which means that it refuses the mail. */
  async #writeAll(streamed: Streamed): Promise<void> {
    for await (const piece of yieldingPieces(streamed)) {
      if (this.#reason) throw this.#reason;
      this.#socket.write(piece, (error) => {
        if (!error) this.#goOn?.();
      });
      // The next piece may reuse the memory of this one.
      if (this.#socket.writableLength > 0) await this.#written();
      if (!this.#replies.isEmpty) throw refusal('DATA', await this.#reply());
    }
    if (this.#reason) throw this.#reason;
  }

  /** Waits until the piece is sent, or until the server replies. */
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
    this.#end(reason, false);
  }
}

/** The steps that commands begin. Other commands continue the step before. */
const stages: Readonly<Record<string, Awaited>> = {
  EHLO: 'ehlo',
  HELO: 'ehlo',
  STARTTLS: 'tls',
  AUTH: 'login',
};

const endOfMail = '.\r\n';
const quit = 'QUIT\r\n';

/** A line that is a dot would end the mail (RFC 5321, 4.5.2). */
const stuffed = (source: string) => source.replaceAll('\n.', '\n..');

/** The time to answer QUIT, and the replies before it. */
const partingMs = 1_000;

/** The options that all connections of a client share. */
export interface ResolvedOptions {
  readonly connect: (to: net.TcpNetConnectOpts) => net.Socket;
  /** The trusted certificates, created on demand. */
  readonly secureContext: () => SecureContext;
  /** `undefined`: the machine has no name and gives its address. */
  readonly ehloName: string | undefined;
}

export interface SmtpOptions {
  /** PEM certificates to trust beside Node's own. */
  readonly ca?: string | readonly string[];
  /** Opens the TCP connection. Tests redirect it to their own port. */
  readonly connect?: ResolvedOptions['connect'];
  /** This machine's name. Default: its host name, if the DNS can know that. */
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
      // Loaded late: TLS costs every cold start 1 ms and 1 MB.
      const tls = process.getBuiltinModule('node:tls');
      // `ca` replaces Node's list, so add that again.
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
