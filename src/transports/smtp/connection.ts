import { isIP, type Socket } from 'node:net';
import { type Awaited, type ClientError, failed } from '../../client_error.ts';
import type { Streamed } from '../../streamed.ts';
import { certificateUntil } from '../certificate.ts';
import { connectionFailure } from '../connection_failure.ts';
import { inTurns } from '../in_turns.ts';
import { type ComposedMail, sizeOf } from '../mail/compose.ts';
import type { Dialogue, SmtpServer } from './dialogue.ts';
import { type Extensions, openSession } from './opening.ts';
import { isDone, type Reply, ReplyReader } from './reply.ts';
import { connectionClosed, recipientRefusal, refusal } from './smtp_failure.ts';
import type { ResolvedOptions } from './smtp_options.ts';

/** How a dialogue stood when a mail could have followed. */
export interface SmtpSession {
  readonly isSecure: boolean;
  /** Milliseconds since the epoch; `undefined` without TLS. */
  readonly certificateUntil: number | undefined;
}

/**
 * One connection to a server: it is opened, carries mails one after the other, and is closed by the first failure. It
 * does not keep the process alive; the timer of a mail does.
 */
export class Connection implements Dialogue {
  isSecure = false;
  /** Takes no more mails. */
  isClosed = false;
  /** The other side closed it, or the network broke it, before the text of a mail was sent. */
  isLost = false;
  /** How many were sent. */
  mails = 0;
  readonly #options: ResolvedOptions;
  readonly #server: SmtpServer;
  readonly #tcp: Socket;
  /** With TLS, the encrypted one. */
  #socket: Socket;
  readonly #replies = new ReplyReader();
  /** What comes next, unless the connection closes. */
  #awaited: Awaited = 'greeting';
  #extensions: Extensions = { pipelining: false, size: undefined };
  /** A dialogue is under way: replies are expected. */
  #isBusy = false;
  #isGreeted = false;
  /** The text of the mail under way was sent: the server may have the mail. */
  #isTextSent = false;
  /** Who waits for the next reply. */
  #resolve: ((reply: Reply) => void) | undefined;
  #reject: (reason: ClientError) => void = () => {};
  /** Why it closed. */
  #reason: ClientError | undefined;

  constructor(options: ResolvedOptions, { host, port, tls, credentials, timeoutMs }: SmtpServer) {
    this.#options = options;
    // Not the message that it is made for: the connection outlives it, and would keep its files.
    this.#server = { host, port, tls, credentials, timeoutMs };
    this.#tcp = options.connect({ host, port }).unref();
    this.#socket = this.#tcp;
    this.#listen(this.#tcp);
  }

  /** Connect, greeting, TLS, AUTH. */
  open(): Promise<void> {
    return this.#during(async () => {
      await this.#event((connected) => this.#tcp.once('connect', connected));
      this.#extensions = await openSession(this, this.#server, this.#options.ehloName);
    });
  }

  /**
   * Resolves when the server took the mail for every recipient.
   *
   * One refused recipient ends it for all, before the text is sent. If the connection then closes, the server discards
   * the mail (RFC 5321, 4.1.1.10), and a retry sends nobody a second copy.
   */
  send(composed: ComposedMail): Promise<void> {
    return this.#during(async () => {
      const {
        envelope: { from, to },
        source,
        rest,
      } = composed;
      this.#awaited = 'acceptance';
      const { pipelining, size: most } = this.#extensions;
      const size = sizeOf(composed);
      if (most && size > most) throw failed('message_too_large', { size, most });
      this.mails += 1;
      const mail = `MAIL FROM:<${from}>${most === undefined ? '' : ` SIZE=${size}`}`;
      const envelope = [mail, ...to.map((address) => `RCPT TO:<${address}>`), 'DATA'];
      if (pipelining) this.#write(`${envelope.join('\r\n')}\r\n`);
      for (const [index, command] of envelope.entries()) {
        const reply = await (pipelining ? this.#reply() : this.ask(command));
        const isData = index === envelope.length - 1;
        // Not 250 too: it might be the answer to another command, and the mail would pass for taken (RFC 5321, 4.3.2).
        const isAccepted = isData ? reply.code === '354' : isDone(reply);
        if (isAccepted) continue;
        if (isData || index === 0) throw refusal(isData ? 'DATA' : 'MAIL', reply);
        throw recipientRefusal(reply, index, to.length);
      }
      // The server cannot have read the text yet. What it said already must not pass for its answer.
      if (!this.#replies.isEmpty) throw failed('not_smtp');
      // A line that is a dot would end the mail (RFC 5321, 4.5.2).
      const text = source.replace(/^\./gm, '..');
      if (rest) {
        this.#write(text);
        await this.#writeAll(rest);
      }
      this.#isTextSent = true;
      this.#write(rest ? endOfMail : text + endOfMail);
      const verdict = await this.#reply();
      if (!isDone(verdict)) throw refusal('DATA', verdict);
      this.#isTextSent = false;
    });
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
    this.#reject(reason);
    this.#socket.destroy();
    this.#tcp.destroy();
  }

  /** There is no more time for what is under way. */
  expire(timeoutMs: number): void {
    this.close(failed('timed_out', { timeoutMs, before: this.#awaited }));
  }

  /** Says goodbye. Nobody needs to wait for the answer. */
  quit(): void {
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

  async #during(dialogue: () => Promise<void>): Promise<void> {
    this.#isBusy = true;
    try {
      await dialogue();
    } catch (error) {
      this.close(error as ClientError);
      throw error;
    } finally {
      this.#isBusy = false;
    }
    this.#rest();
  }

  /** Nobody asked for what comes now: most likely a 421, before the server hangs up (RFC 5321, 3.8). */
  #rest(): void {
    if (!this.#replies.isEmpty) this.#lose(connectionClosed(this.#awaited));
  }

  #listen(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => {
      this.#replies.add(chunk);
      if (this.#isBusy) this.#heed();
      else this.#rest();
    });
    // Never removed: a socket can still fail after it was closed.
    socket.on('error', (error) => this.#lose(connectionFailure(error, this.#awaited)));
    socket.once('end', () => this.#lose(connectionClosed(this.#awaited)));
    socket.once('close', () => this.#lose(connectionClosed(this.#awaited)));
  }

  /** Gives the next reply to whoever waits for it. */
  #heed(): void {
    if (this.isClosed || this.#resolve === undefined) return;
    const reply = this.#replies.next();
    if (reply === undefined) return;
    if (reply === 'malformed') {
      this.close(failed('not_smtp'));
    } else if (reply.code === '421' && this.#isGreeted) {
      // It answers anything, and means that the server is about to leave (RFC 5321, 3.8).
      this.#lose(connectionClosed(this.#awaited, reply));
    } else {
      this.#isGreeted = true;
      this.#resolve(reply);
      this.#resolve = undefined;
    }
  }

  #reply(): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#reason) return reject(this.#reason);
      this.#resolve = resolve;
      this.#reject = reject;
      this.#heed();
    });
  }

  /** Waits for an event of the socket. */
  #event(listen: (happened: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#reason) return reject(this.#reason);
      this.#reject = reject;
      listen(resolve);
    });
  }

  /** All of a mail is ASCII, and what is of one byte a character is written in half the time. */
  #write(text: string): void {
    this.#socket.write(text, 'latin1');
  }

  /** As fast as the server takes it. One that answers in the midst of a mail does not want it. */
  async #writeAll(streamed: Streamed): Promise<void> {
    for await (const piece of inTurns(streamed)) {
      if (this.#reason) throw this.#reason;
      if (!this.#socket.write(piece)) await this.#room();
      if (!this.#replies.isEmpty) throw refusal('DATA', await this.#reply());
    }
  }

  /** Waits until more can be written, or until the server says something. */
  #room(): Promise<void> {
    const socket = this.#socket;
    return this.#event((happened) => {
      const goOn = () => {
        socket.off('drain', goOn).off('data', goOn);
        happened();
      };
      socket.on('drain', goOn).on('data', goOn);
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

const endOfMail = '.\r\n';

/** How long a server may take to answer QUIT. */
const partingMs = 1_000;
