import type { Socket } from 'node:net';
import type { ClientError } from '@form-relay/base/client_error';
import type { Awaited } from '../failures.ts';
import { certificateUntil, connectionFailure, connectOptions, serverName } from '../socket.ts';
import {
  asksForText,
  beginsWithTls,
  connectionClosed,
  failed,
  type Reply,
  ReplyReader,
  type SmtpServer,
} from './reply.ts';
import type { ResolvedOptions } from './smtp_connection.ts';

export interface SmtpSession {
  readonly isSecure: boolean;
  /** Milliseconds since the epoch; `undefined` without TLS. */
  readonly certificateUntil: number | undefined;
}

/**
 * A line to a server, with or without TLS: commands in one direction, replies in the other. Replies are
 * passed to `hear` as they arrive; `fail` gets the reason once, when the line closes.
 */
export class Line {
  isSecure = false;
  /** Whether it accepts no more mails. */
  isClosed = false;
  /** Whether the server closed it, or the network broke it, before the text of a mail was sent. */
  isLost = false;
  protected readonly options: ResolvedOptions;
  protected readonly server: SmtpServer;
  protected readonly tcp: Socket;
  /** The encrypted socket, if TLS is used. */
  protected socket: Socket;
  protected readonly replies = new ReplyReader();
  /** The next step. */
  protected awaited: Awaited = 'greeting';
  /** Whether it is opening or sending a mail, so that replies are expected. */
  protected isBusy = false;
  /** Receives the next reply. May throw a reason to close the connection. */
  protected hear: ((reply: Reply) => void) | undefined;
  /** Receives the reason for closing. */
  protected fail: ((reason: ClientError) => void) | undefined;
  protected reason: ClientError | undefined;
  /** How many replies to a pipelined envelope are still to come. */
  protected due = 0;
  /** Whether DATA was sent, but neither refused nor completed, so the server may treat any line as part of the mail. */
  protected isTextDue = false;
  /** Whether the text of the mail was sent, so that the server may have the mail. */
  protected isTextSent = false;
  /** Ends the wait for a write; called also if the server replies first. */
  protected goOn: (() => void) | undefined;
  #isGreeted = false;

  constructor(options: ResolvedOptions, server: SmtpServer) {
    const { host, port, tls, credentials, timeoutMs } = server;
    this.options = options;
    // Copied, because the connection outlives the message and would keep its files in memory.
    this.server = { host, port, tls, credentials, timeoutMs };
    this.tcp = options
      .connect({ ...connectOptions, host, port, ...(!isDeno && { onread: this.#onRead() }) })
      .unref();
    this.socket = this.tcp;
    this.#listen(this.tcp);
  }

  /** Sends a command, or waits for the greeting. Rejects with a `ClientError` if no reply comes. */
  async ask(command?: string): Promise<Reply> {
    if (command !== undefined) {
      // A reply that came before the command may have been injected (RFC 3207, 6).
      if (!this.replies.isEmpty) throw failed('not_smtp');
      this.awaited = stages[command.split(' ', 1)[0] ?? ''] ?? this.awaited;
      this.write(`${command}\r\n`);
    }
    return this.reply();
  }

  /** Starts TLS. Rejects with a `ClientError`. */
  async secure(): Promise<void> {
    const { host } = this.server;
    const { connect } = process.getBuiltinModule('node:tls');
    this.awaited = 'tls';
    this.tcp.removeAllListeners('data');
    await this.event((secured) => {
      this.socket = connect(
        {
          socket: this.tcp,
          host,
          servername: serverName(host),
          secureContext: this.options.secureContext(),
        },
        secured,
      );
      this.#listen(this.socket);
    });
    this.isSecure = true;
    this.awaited = 'greeting';
  }

  get localAddress(): string {
    return this.tcp.localAddress ?? '';
  }

  get remoteAddress(): string {
    return this.tcp.remoteAddress ?? '';
  }

  get session(): SmtpSession {
    return { isSecure: this.isSecure, certificateUntil: certificateUntil(this.socket) };
  }

  /** Ends the session and fails the mail in progress. */
  close(reason: ClientError): void {
    const isSecuring = this.socket !== this.tcp && !this.isSecure;
    this.#end(reason, this.#isGreeted && !isSecuring && reason.code !== 'not_smtp');
  }

  /** @param isHeard Whether the server can still receive QUIT. */
  #end(reason: ClientError, isHeard: boolean): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.reason = reason;
    // The timer of a pool continues, so that the pool forgets the connection.
    const fail = this.fail;
    this.hear = undefined;
    this.fail = undefined;
    if (isHeard) this.#part();
    else this.#hangUp();
    fail?.(reason);
  }

  expire(timeoutMs: number): void {
    const mayWantTls = this.awaited === 'greeting' && !this.isSecure && !beginsWithTls(this.server);
    this.close(failed('timed_out', { timeoutMs, before: this.awaited, mayWantTls }));
  }

  /** Sends QUIT without waiting for the reply. */
  quit(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#part();
  }

  /** Sends QUIT (RFC 5321, 4.1.1.10) and does not wait for the reply. */
  #part(): void {
    const timer = setTimeout(() => this.#hangUp(), partingMs).unref();
    this.tcp.once('close', () => clearTimeout(timer));
    if (this.isTextDue) this.#hearOut();
    else this.socket.end(quit);
  }

  /** Sends QUIT only if the server has refused DATA; hangs up if QUIT would be a line of the mail. */
  #hearOut(): void {
    let isHeard = this.due > 0;
    for (; isHeard && this.due > 0; this.due -= 1) {
      const reply = this.replies.next();
      if (reply === undefined) return;
      isHeard = reply !== 'malformed' && !asksForText(reply);
    }
    if (isHeard) this.socket.end(quit);
    else this.#hangUp();
  }

  #hangUp(): void {
    this.socket.destroy();
    this.tcp.destroy();
  }

  /** Closes the connection after an unsolicited reply, most likely a 421 (RFC 5321, 3.8). */
  protected rest(): void {
    if (!this.replies.isEmpty) this.#lose(connectionClosed(this.awaited));
  }

  /** Without this buffer, each reply would take 64 KB of memory. */
  #onRead() {
    return {
      buffer: incoming,
      callback: (count: number): true => {
        this.#read(incoming.toString('latin1', 0, count));
        return true;
      },
    };
  }

  #read(text: string): void {
    // Ignore replies after QUIT.
    if (this.isClosed && this.due === 0) return;
    this.replies.add(text);
    if (this.isClosed) this.#hearOut();
    else if (this.isBusy) this.heed();
    else this.rest();
    this.goOn?.();
  }

  #listen(socket: Socket): void {
    // Used for TLS, and on Deno.
    socket.on('data', (chunk: Buffer) => this.#read(chunk.toString('latin1')));
    // Never removed, because a socket can still fail after it is closed.
    socket.on('error', (error) => this.#lose(connectionFailure(error, this.awaited)));
    socket.once('end', () => this.#lose(connectionClosed(this.awaited)));
    socket.once('close', () => this.#lose(connectionClosed(this.awaited)));
  }

  /** Passes each complete reply on. */
  protected heed() {
    while (this.hear !== undefined) {
      const reply = this.replies.next();
      if (reply === undefined) return;
      if (reply === 'malformed') return this.close(failed('not_smtp'));
      // A 421 may be the reply to any command: the server is shutting down (RFC 5321, 3.8).
      if (reply.code === '421' && this.#isGreeted) return this.#lose(connectionClosed(this.awaited, reply));
      this.#isGreeted = reply.code !== '421';
      try {
        this.hear(reply);
      } catch (error) {
        const isBug = this.fail === undefined;
        this.close(error as ClientError);
        // No mail can fail, so this is a bug in the receiver of the reply.
        if (isBug) throw error;
      }
    }
  }

  protected reply(): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.reason) return reject(this.reason);
      this.fail = reject;
      this.hear = (reply) => {
        this.hear = undefined;
        resolve(reply);
      };
      this.heed();
    });
  }

  protected event(listen: (happened: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.reason) return reject(this.reason);
      this.fail = reject;
      listen(resolve);
    });
  }

  /** Mails are ASCII, and writing them as latin1 takes half the time. */
  protected write(text: string): void {
    this.socket.write(text, 'latin1');
  }

  #lose(reason: ClientError): void {
    if (this.isClosed) return;
    this.isLost = !this.isTextSent;
    this.#end(reason, false);
  }
}

/** The steps that commands start. Other commands continue the previous step. */
const stages: Readonly<Record<string, Awaited>> = {
  EHLO: 'ehlo',
  HELO: 'ehlo',
  STARTTLS: 'tls',
  AUTH: 'login',
};

const quit = 'QUIT\r\n';

/** On Deno, a socket with `onread` passes no bytes to the TLS socket above it. */
const isDeno = 'deno' in process.versions;

/** Shared by all connections, because its content is read at once. */
const incoming = Buffer.allocUnsafeSlow(65_536);

/** The time for the reply to QUIT, and for the replies before it. */
const partingMs = 1_000;
