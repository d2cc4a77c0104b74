import type { ClientError } from '@form-relay/base/client_error';
import type { Streamed } from '@form-relay/base/streamed';
import type { HttpAnswer, HttpRequest } from '@form-relay/core/services';
import { failed } from '../failures.ts';
import type { Connection } from './http_connection.ts';
import type { ConnectionPool } from './http_pool.ts';
import { headersIn } from './protocol.ts';

export class Exchange {
  readonly streamed: Streamed | undefined;
  /** The deadline, according to `performance.now()`. */
  readonly deadline: number;
  readonly #timeoutMs: number;
  /** Whether it has a response or has failed. */
  isOver = false;
  #timer: NodeJS.Timeout | undefined;
  /** The pool in which it waits, and later the connection that carries it. `undefined` at first. */
  place: ConnectionPool | Connection | undefined;
  readonly #signal: AbortSignal | undefined;

  constructor(
    /** The request as sent over the connection, without `streamed`: one character per byte, or bytes. */
    readonly wire: string | Buffer,
    { streamed, timeoutMs, signal }: HttpRequest,
    /** The size limit of a response requested as bytes, which must be complete. Other responses are text of up to 64 KB. */
    readonly limitBytes: number | undefined,
    private readonly traffic: Traffic,
    private readonly resolve: Resolve,
    private readonly reject: (error: ClientError) => void,
  ) {
    this.streamed = streamed;
    this.deadline = performance.now() + timeoutMs;
    this.#timeoutMs = timeoutMs;
    traffic.underWay += 1;
    this.#signal = signal;
    signal?.addEventListener('abort', this);
  }

  /** Handles the event of the signal. */
  handleEvent(): void {
    const { place } = this;
    if (place && 'abort' in place) place.abort();
    else {
      this.fail(failed('aborted'));
      place?.left();
    }
  }

  /** Starts the timeout while it waits. A connection that handles it has its own timer. */
  waitIn(pool: ConnectionPool): void {
    if (this.isOver) return;
    this.#timer = setTimeout(() => {
      this.expire();
      pool.left();
    }, this.deadline - performance.now());
  }

  goOn(connection: Connection): void {
    clearTimeout(this.#timer);
    this.place = connection;
  }

  expire(): void {
    this.fail(failed('timed_out', { timeoutMs: this.#timeoutMs }));
  }

  fail(error: ClientError): void {
    this.reject(error);
    this.#leave();
  }

  succeed(answer: Answer): void {
    this.resolve(answer);
    this.#leave();
  }

  #leave(): void {
    this.isOver = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this);
    this.traffic.underWay -= 1;
    if (this.traffic.underWay === 0) this.traffic.onIdle?.();
  }
}

export type Resolve = (answer: Answer) => void;

/** A response that parses its headers on demand, because most outputs never need them. */
export class Answer implements HttpAnswer {
  constructor(
    readonly status: number,
    /** The status line and headers, one character per byte. */
    private readonly head: string,
    readonly body: string,
    /** The body if it was requested as bytes; `body` is then empty. */
    readonly bytes: Buffer | undefined,
    readonly isCut: boolean,
    /** Whether the response came before the whole request was written. */
    public isEarly: boolean,
    /** The server's address, for redirects only. */
    readonly remoteAddress: string | undefined,
  ) {}

  get headers(): HttpAnswer['headers'] {
    return headersIn(this.head);
  }
}

/** Counts the requests without a response. */
export class Traffic {
  underWay = 0;
  isClosed = false;
  onIdle: (() => void) | undefined;

  /** Accepts no more requests, and resolves when those in progress have ended. */
  async drain(): Promise<void> {
    this.isClosed = true;
    if (this.underWay > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
  }
}
