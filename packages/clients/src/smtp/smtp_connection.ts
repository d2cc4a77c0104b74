import net from 'node:net';
import { hostname } from 'node:os';
import type { SecureContext } from 'node:tls';
import { hostName } from '@form-relay/base/address';
import type { ClientError } from '@form-relay/base/client_error';
import type { Streamed } from '@form-relay/base/streamed';
import { type ComposedMail, sizeOf } from '../mail/compose.ts';
import { yieldingPieces } from '../socket.ts';
import { Line } from './line.ts';
import { asksForText, failed, isDone, type Reply, recipientRefusal, refusal } from './reply.ts';
import { type Extensions, openSession } from './session.ts';

/** Receives the result of a mail, by one call of either method. */
export interface Sender {
  /** The server accepted the mail for all recipients. */
  taken(reply: Reply): void;
  /** @param reason A `ClientError`, unless the relay has a bug. */
  failed(reason: unknown): void;
}

/**
 * A connection to a server, which carries mails one after another until the first failure. Only the timer of
 * a mail keeps the process alive.
 *
 * While opening, it awaits one reply after another. The replies to a mail are passed to methods that are
 * bound once, because a promise for each would take longer than everything else.
 */
export class Connection extends Line {
  /** How many mails were sent. */
  mails = 0;
  /** When its last mail ended, in milliseconds since the epoch, and the timer that closes it when idle. */
  restsSince = 0;
  restTimer: NodeJS.Timeout | undefined;
  #extensions: Extensions = { pipelining: false, size: undefined, smtputf8: false, mostMails: 1 };
  /** The mail in progress, its sender, and the number of replies to its envelope so far. */
  #mail: ComposedMail | undefined;
  #sender: Sender | undefined;
  #replied = 0;
  readonly #hearEnvelope = (reply: Reply) => this.#onEnvelope(reply);
  readonly #hearVerdict = (reply: Reply) => this.#onVerdict(reply);
  readonly #failMail = (reason: unknown) => this.#endMail()?.failed(reason);

  /** Connects, and handles greeting, TLS and AUTH. */
  async open(): Promise<void> {
    this.isBusy = true;
    try {
      await this.event((connected) => this.tcp.once('connect', connected));
      this.#extensions = await openSession(this, this.server, this.options.ehloName);
    } catch (error) {
      this.close(error as ClientError);
      throw error;
    }
    this.isBusy = false;
    this.rest();
  }

  /**
   * Sends a mail. If a recipient is refused, the mail is aborted for all of them before its text is sent. On QUIT, or when
   * the connection closes, the server discards the mail (RFC 5321, 4.1.1.10), so a retry does not send second copies.
   */
  send(mail: ComposedMail, sender: Sender) {
    if (this.reason) return sender.failed(this.reason);
    this.isBusy = true;
    this.#mail = mail;
    this.#sender = sender;
    this.fail = this.#failMail;
    this.awaited = 'acceptance';
    const { pipelining, size: most } = this.#extensions;
    const size = sizeOf(mail);
    if (most && size > most) return this.close(failed('message_too_large', { size, most }));
    this.mails += 1;
    this.#replied = 0;
    this.hear = this.#hearEnvelope;
    const { from, to } = mail.envelope;
    // A server with SMTPUTF8 supports 8BITMIME (RFC 6531, 3.1).
    const utf8 = mail.isUtf8 ? ' BODY=8BITMIME SMTPUTF8' : '';
    let commands = `MAIL FROM:<${from}>${most === undefined ? '' : ` SIZE=${size}`}${utf8}\r\n`;
    if (pipelining) {
      for (const address of to) commands += `RCPT TO:<${address}>\r\n`;
      commands += 'DATA\r\n';
      this.due = to.length + 2;
      this.isTextDue = true;
    }
    this.write(commands);
  }

  /** Handles the replies to MAIL, to RCPT for each recipient, and to DATA, in this order. */
  #onEnvelope(reply: Reply): void {
    const { to } = (this.#mail as ComposedMail).envelope;
    const place = this.#replied;
    const isData = place > to.length;
    // DATA needs 354: a 250 that belongs to another command would make the mail count as accepted (RFC 5321, 4.3.2).
    const isAccepted = isData ? asksForText(reply) : isDone(reply);
    if (this.due > 0) this.due -= 1;
    if (!isAccepted) {
      if (isData) this.isTextDue = false;
      if (isData || place === 0) throw refusal(isData ? 'DATA' : 'MAIL', reply);
      throw recipientRefusal(reply, place, to.length);
    }
    this.#replied += 1;
    if (!isData && this.#extensions.pipelining) return;
    // A reply that came before the command may have been injected (RFC 3207, 6), and must not be taken for the reply.
    if (!this.replies.isEmpty) throw failed('not_smtp');
    if (isData) {
      this.#sendText(this.#mail as ComposedMail);
    } else if (place === to.length) {
      this.isTextDue = true;
      this.write('DATA\r\n');
    } else {
      this.write(`RCPT TO:<${to[place]}>\r\n`);
    }
  }

  #sendText({ source, rest }: ComposedMail): void {
    if (rest) {
      void this.#sendFiles(stuffed(source), rest);
      return;
    }
    // Append the end before searching, because appending it afterwards would copy the text again.
    const text = source + endOfMail;
    const isStuffed = text.indexOf('\n.') === source.length - 1;
    this.#endText(isStuffed ? text : stuffed(source) + endOfMail);
  }

  /** Sends files as fast as the server reads them. */
  async #sendFiles(text: string, files: Streamed): Promise<void> {
    this.hear = undefined;
    try {
      this.write(text);
      await this.#writeAll(files);
      this.#endText(endOfMail);
      this.heed();
    } catch (error) {
      this.close(error as ClientError);
      this.#failMail(error);
    }
  }

  #endText(text: string): void {
    this.isTextSent = true;
    this.hear = this.#hearVerdict;
    this.fail = this.#failMail;
    this.write(text);
  }

  #onVerdict(reply: Reply): void {
    this.isTextDue = false;
    if (!isDone(reply)) throw refusal('DATA', reply);
    this.isTextSent = false;
    const sender = this.#endMail();
    this.rest();
    sender?.taken(reply);
  }

  /** Ends the mail, and returns the sender to notify, once. */
  #endMail(): Sender | undefined {
    const sender = this.#sender;
    this.isBusy = false;
    this.#mail = undefined;
    this.#sender = undefined;
    this.hear = undefined;
    this.fail = undefined;
    return sender;
  }

  takes({ isUtf8 }: ComposedMail): boolean {
    return !isUtf8 || this.#extensions.smtputf8;
  }

  /** Whether it has carried as many mails as it may. */
  get isFull(): boolean {
    return this.mails >= this.#extensions.mostMails;
  }

  override quit(): void {
    if (!this.isClosed) clearTimeout(this.restTimer);
    super.quit();
  }

  /** Stops if the server replies in the middle of a mail, because that means a rejection. */
  async #writeAll(streamed: Streamed): Promise<void> {
    for await (const piece of yieldingPieces(streamed)) {
      if (this.reason) throw this.reason;
      this.socket.write(piece, (error) => {
        if (!error) this.goOn?.();
      });
      // The next piece may reuse the memory of this one.
      if (this.socket.writableLength > 0) await this.#written();
      if (!this.replies.isEmpty) throw refusal('DATA', await this.reply());
    }
    if (this.reason) throw this.reason;
  }

  /** Waits until the piece is sent or the server replies. */
  #written(): Promise<void> {
    return this.event((happened) => {
      this.goOn = () => {
        this.goOn = undefined;
        happened();
      };
    });
  }
}

const endOfMail = '.\r\n';

/** Doubles dots at line starts, because a line with only a dot would end the mail (RFC 5321, 4.5.2). */
const stuffed = (source: string) => source.replaceAll('\n.', '\n..');

export type ResolvedOptions = ReturnType<typeof resolveOptions>;

export interface SmtpOptions {
  /** PEM certificates to trust in addition to Node's own. */
  readonly ca?: string | readonly string[];
  /** Opens the TCP connection. Tests redirect it to their own port. */
  readonly connect?: (to: net.TcpNetConnectOpts) => net.Socket;
  /** This machine's name. Default: its host name, if that may be in the DNS. */
  readonly ehloName?: string | undefined;
}

export function resolveOptions({
  ca,
  connect = (to) => net.connect(to),
  ehloName = machineName(),
}: SmtpOptions) {
  let secureContext: SecureContext | undefined;
  return {
    connect,
    /** The name, or `undefined` if the machine has none and introduces itself by its address. */
    ehloName,
    /** The trusted certificates, created on demand. */
    secureContext: (): SecureContext => {
      if (secureContext) return secureContext;
      // Loaded late: TLS costs every cold start 1 ms and 1 MB.
      const tls = process.getBuiltinModule('node:tls');
      // Node's list is replaced by `ca`, so add it again.
      const trusted = ca === undefined ? undefined : [...tls.rootCertificates, ...[ca].flat()];
      secureContext = tls.createSecureContext({ ca: trusted });
      return secureContext;
    },
  };
}

/** This machine's name; `undefined` if only this machine knows the name. */
function machineName(): string | undefined {
  const name = hostName(hostname());
  return name?.includes('.') && !name.endsWith('.localdomain') ? name : undefined;
}
