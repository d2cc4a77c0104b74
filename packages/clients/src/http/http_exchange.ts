import type { ClientError } from '@form-relay/base/client_error';
import type { Streamed } from '@form-relay/base/streamed';
import type { HttpAnswer, HttpRequest } from '@form-relay/core/services';
import { failed } from '../failures.ts';
import type { ConnectionPool } from './http_pool.ts';
import { headersIn } from './protocol.ts';

export class Exchange {
  readonly streamed: Streamed | undefined;
  /** The end of its time, by `performance.now()`. */
  readonly deadline: number;
  readonly #timeoutMs: number;
  /** Whether its time was up while it waited. */
  isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    /** The request as it goes over the connection, up to `streamed`: one character a byte, or bytes. */
    readonly wire: string | Buffer,
    { streamed, timeoutMs }: HttpRequest,
    /** The limit of an answer requested as bytes, which must be complete. Others are text of up to 64 KB. */
    readonly limitBytes: number | undefined,
    private readonly traffic: Traffic,
    private readonly resolve: Resolve,
    private readonly reject: (error: ClientError) => void,
  ) {
    this.streamed = streamed;
    this.deadline = performance.now() + timeoutMs;
    this.#timeoutMs = timeoutMs;
    traffic.underWay += 1;
  }

  /** Fails it when its time is up. A connection that takes it has its own timer. */
  waitIn(pool: ConnectionPool): void {
    this.#timer = setTimeout(() => {
      this.isOver = true;
      pool.left();
      this.expire();
    }, this.deadline - performance.now());
  }

  stopWaiting(): void {
    clearTimeout(this.#timer);
  }

  expire(): void {
    this.fail(failed('timed_out', { timeoutMs: this.#timeoutMs }));
  }

  fail(error: ClientError): void {
    this.stopWaiting();
    this.reject(error);
    this.traffic.leave();
  }

  succeed(answer: Answer): void {
    this.resolve(answer);
    this.traffic.leave();
  }
}

export type Resolve = (answer: Answer) => void;

/** Reads its headers on demand: most outputs never need them. */
export class Answer implements HttpAnswer {
  constructor(
    readonly status: number,
    /** The status line and headers, one character a byte. */
    private readonly head: string,
    readonly body: string,
    /** The body if it was requested as bytes. `body` is empty then. */
    readonly bytes: Buffer | undefined,
    readonly isCut: boolean,
    /** Whether it came before all of the request was written. */
    readonly isEarly: boolean,
  ) {}

  get headers(): HttpAnswer['headers'] {
    return headersIn(this.head);
  }
}

/** The requests without an answer yet. */
export class Traffic {
  underWay = 0;
  isClosed = false;
  #onIdle = () => {};

  leave(): void {
    this.underWay -= 1;
    if (this.underWay === 0) this.#onIdle();
  }

  /** Takes no more requests, and resolves when those under way have ended. */
  async drain(): Promise<void> {
    this.isClosed = true;
    if (this.underWay > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }
}
