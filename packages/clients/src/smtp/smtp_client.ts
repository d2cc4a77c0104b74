import type { MailAnswer, SmtpClient, SmtpMessage } from '@form-relay/core/services';
import { type ComposedMail, composeMail } from '../mail/compose.ts';
import { hasPlainRecipient, inAscii, isInternational, isLacking } from '../mail/international.ts';
import { failed, isRefused, isSenderRefused, isTurnedAway, type Reply } from './reply.ts';
import {
  Connection,
  type ResolvedOptions,
  resolveOptions,
  type Sender,
  type SmtpOptions,
} from './smtp_connection.ts';
import { type Pool, Pools, type PoolUser } from './smtp_pool.ts';

export interface SmtpClientOptions extends SmtpOptions {
  /** The current time, in milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Sends each message over an idle connection, or over a new one. `close` closes the idle connections. */
export function createSmtpClient(options: SmtpClientOptions = {}): SmtpClient & { close(): void } {
  const { now = Date.now } = options;
  const resolved = resolveOptions(options);
  const pools = new Pools(now);
  const send = (message: SmtpMessage) =>
    new Promise<Reply>((resolve, reject) => {
      const composed = composeMail(message);
      // Avoids an unnecessary promise.
      if (composed instanceof Promise)
        composed.then((mail) => deliver(message, mail, resolve, reject)).catch(reject);
      else deliver(message, composed, resolve, reject);
    });
  /** If the server does not offer SMTPUTF8, or rejects the mail, sends again without the addresses that need it. */
  const sendInternational = async (message: SmtpMessage): Promise<Reply & MailAnswer> => {
    const startedAt = now();
    try {
      return await send(message);
    } catch (error) {
      if (!isLacking(error) && (!isRefused(error) || !hasPlainRecipient(message))) throw error;
      const { mail, warning } = inAscii(message);
      const reply = await send({ ...mail, timeoutMs: Math.max(1, message.timeoutMs - (now() - startedAt)) });
      return Object.assign(reply, { warning });
    }
  };
  const client = (message: SmtpMessage): Promise<Reply & MailAnswer> =>
    isInternational(message) ? sendInternational(message) : send(message);
  const deliver = (
    message: SmtpMessage,
    mail: ComposedMail,
    resolve: (reply: Reply) => void,
    reject: (reason: unknown) => void,
  ) => new Delivery(message, mail, pools, resolved, resolve, reject).start();
  return Object.assign(client, { close: () => pools.close() });
}

/**
 * Delivers a mail: waits for its turn, then for a connection, then for the server's verdict. A single object
 * handles these events, instead of a promise for each step.
 */
class Delivery implements PoolUser, Sender {
  readonly #timer: NodeJS.Timeout;
  #pool: Pool;
  #turn: 'waits' | 'has_it' | 'over' = 'waits';
  /** The connection that is opening for the mail or carries it. */
  #connection: Connection | undefined;
  /** The connection that was opened for this mail. */
  #own: Connection | undefined;
  #needsUnused = false;

  /** Starts the timeout of the mail. */
  constructor(
    private readonly message: SmtpMessage,
    private readonly mail: ComposedMail,
    private readonly pools: Pools,
    private readonly options: ResolvedOptions,
    private readonly resolve: (reply: Reply) => void,
    private readonly reject: (reason: unknown) => void,
  ) {
    this.#pool = pools.for(message);
    this.#timer = setTimeout(() => this.#expire(), message.timeoutMs);
  }

  get isOver(): boolean {
    return this.#turn === 'over';
  }

  start(): void {
    this.#pool.enter(this);
  }

  begin(): void {
    this.#turn = 'has_it';
    this.#needsUnused = false;
    this.#connect();
  }

  opened(connection: Connection): void {
    this.#connection = connection;
    if (connection.takes(this.mail)) connection.send(this.mail, this);
    else {
      this.reject(failed('no_smtputf8'));
      this.#leave(connection);
    }
  }

  taken(reply: Reply): void {
    this.resolve(reply);
    this.#leave(this.#connection as Connection);
  }

  /** Returns the connection, so that the next mail can use it. */
  #leave(connection: Connection): void {
    this.#end();
    this.#pool.rest(connection);
    this.#pool.release();
  }

  failed(reason: unknown) {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection && connection.mails > 0) connection.quit();
    // A server may close a used connection at any time, so another one may work.
    if (connection && connection !== this.#own && (connection.isLost || isSenderRefused(reason))) {
      // Try a new connection. If the server refused the sender, the idle ones can still be used for other mails.
      if (isSenderRefused(reason)) this.#needsUnused = true;
      return this.#connect();
    }
    if (isTurnedAway(reason) && this.#pool.settleForFewer()) this.#again();
    else this.#giveUp(reason);
  }

  #connect() {
    this.#own = undefined;
    const rested = this.#needsUnused ? undefined : this.#pool.take();
    if (rested) return this.opened(rested);
    const { timeoutMs } = this.message;
    try {
      this.#own = new Connection(this.options, this.message);
    } catch (error) {
      return this.#giveUp(error);
    }
    this.#connection = this.#own;
    this.#pool.open(this.#own, timeoutMs, this.#needsUnused, this);
  }

  /** Queues again, behind the waiting mails. */
  #again(): void {
    this.#turn = 'waits';
    this.#pool.release();
    this.#pool = this.pools.for(this.message);
    this.start();
  }

  #expire() {
    const { timeoutMs } = this.message;
    if (this.#connection) return this.#connection.expire(timeoutMs);
    if (this.#turn === 'waits') {
      this.#turn = 'over';
      this.#pool.left();
    }
    this.#giveUp(failed('timed_out', { timeoutMs }));
  }

  #giveUp(reason: unknown): void {
    this.#end();
    this.reject(reason);
    if (this.#turn === 'has_it') this.#pool.release();
  }

  #end(): void {
    this.#connection = undefined;
    clearTimeout(this.#timer);
  }
}
