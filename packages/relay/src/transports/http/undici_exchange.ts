import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { Bytes } from '../../base/bytes.ts';
import { ClientError, failed } from '../../base/client_error.ts';
import type { HttpAnswer } from '../../base/effects.ts';
import { connectionFailure } from '../connection_failure.ts';
import { bodyLimitBytes, framingLimitBytes, mostInterim } from './answer_limits.ts';
import { joined } from './response_headers.ts';
import { leave, type Traffic } from './traffic.ts';

/** A connection of its own. */
export interface Line {
  socket: Socket | undefined;
  /** The last request that was written to the socket. */
  exchange: UndiciExchange | undefined;
}

/**
 * One request: undici's handler, with one timer over everything. From the final status on it has an answer (D42).
 *
 * It speaks the older handler interface of undici 7 (`onConnect`, `onHeaders`, ...). The newer one reads every answer's
 * headers, which few ask for.
 */
export class UndiciExchange implements Dispatcher.DispatchHandler {
  /** Where it goes. */
  line: Line | undefined;
  isSettled = false;
  readonly #timeoutMs: number;
  readonly #traffic: Traffic;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (error: ClientError) => void;
  readonly #timer: NodeJS.Timeout;
  #abort: ((error: Error) => void) | undefined;
  #isSent = false;
  #isEarly = false;
  /** What the connection had read before this request. */
  #readBefore = 0;
  #interim = 0;
  #status = 0;
  #rawHeaders: readonly Buffer[] = [];
  #body: Bytes | undefined;

  constructor(
    timeoutMs: number,
    traffic: Traffic,
    resolve: (answer: HttpAnswer) => void,
    reject: (error: ClientError) => void,
  ) {
    this.#timeoutMs = timeoutMs;
    this.#traffic = traffic;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.#expire(), timeoutMs);
    traffic.underWay += 1;
  }

  /** A connection is free, and undici is about to write the request to it. */
  onConnect(abort: (error: Error) => void): void {
    // Throwing withholds the request and keeps the connection; `abort` would close it.
    if (this.isSettled) throw new Error('expired');
    this.#abort = abort;
    if (!this.line) return;
    this.line.exchange = this;
    this.#readBefore = this.line.socket?.bytesRead ?? 0;
  }

  onRequestSent(): void {
    this.#isSent = true;
  }

  /** The last call is the answer's; the ones before are 1xx. */
  onHeaders(status: number, rawHeaders: Buffer[]): boolean {
    this.#status = status;
    this.#isEarly = !this.#isSent;
    this.#rawHeaders = rawHeaders;
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > mostInterim) this.#stop(failed('too_many_1xx', { most: mostInterim }));
    }
    return true;
  }

  /** More has arrived on its connection. undici tells nothing of chunk extensions, nor of a status line that never ends. */
  onRead(bytesRead: number): void {
    if (bytesRead - this.#readBefore <= bodyLimitBytes + framingLimitBytes) return;
    this.#stop(this.#status >= 200 ? new Error('read enough') : failed('headers_too_long'));
  }

  onData(chunk: Buffer): boolean {
    this.#body ??= new Bytes();
    this.#body.add(chunk);
    if (this.#body.length > bodyLimitBytes) this.#stop(new Error('read enough'));
    return true;
  }

  onComplete(): void {
    this.#settle();
    // A connection remembers its last exchange, and this the files that it sent.
    this.#abort = undefined;
  }

  /** An abort comes here too; the request is settled by then. */
  onError(error: Error): void {
    this.#settle(error);
  }

  #expire(): void {
    this.#stop(failed('timed_out', { timeoutMs: this.#timeoutMs }));
  }

  /** Ends it, and its connection. */
  #stop(error: Error): void {
    this.#settle(error);
    this.#abort?.(error);
  }

  /** With what came of the answer, or else with what went wrong. */
  #settle(error?: Error): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.#timer);
    if (error === undefined || this.#status >= 200) {
      const body = this.#body?.all.toString('utf8', 0, bodyLimitBytes) ?? '';
      const isCut = error !== undefined;
      this.#resolve(new Answer(this.#status, this.#rawHeaders, body, isCut, this.#isEarly));
    } else {
      this.#reject(error instanceof ClientError ? error : failure(error, this.line?.socket));
    }
    leave(this.#traffic);
  }
}

/** Reads its headers when somebody asks. */
class Answer implements HttpAnswer {
  readonly status: number;
  readonly body: string;
  readonly isCut: boolean;
  readonly isEarly: boolean;
  readonly #rawHeaders: readonly Buffer[];

  constructor(status: number, rawHeaders: readonly Buffer[], body: string, isCut: boolean, isEarly: boolean) {
    this.status = status;
    this.#rawHeaders = rawHeaders;
    this.body = body;
    this.isCut = isCut;
    this.isEarly = isEarly;
  }

  get headers(): HttpAnswer['headers'] {
    return joined(this.#rawHeaders.map((bytes) => bytes.toString('latin1')));
  }
}

/** Of undici's own messages, only those about the request's form are safe to repeat. */
function failure(error: NodeJS.ErrnoException, socket: Socket | undefined): ClientError {
  // It often has no code.
  if (error.name === 'HTTPParserError') return failed('not_http');
  switch (error.code) {
    case 'UND_ERR_SOCKET':
      // RFC 9110, 15.2 allows an unasked-for 100, undici does not.
      return socket && saidSomething(socket)
        ? failed('unexpected_1xx')
        : failed('closed', { before: 'answer' }, { retryAfterMs: 0 });
    case 'UND_ERR_HEADERS_OVERFLOW':
      return failed('headers_too_long');
    case 'UND_ERR_CONNECT_TIMEOUT':
      return failed(
        'unreachable',
        { call: 'connect', codes: ['ETIMEDOUT'] },
        { retryAfterMs: 0, isUnsent: true },
      );
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_NOT_SUPPORTED':
    case 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH':
      return failed('request_malformed', { reason: error.message });
    default:
      return connectionFailure(error, 'answer');
  }
}

/** Whether undici gave a socket up because of bytes that it did not expect; and not because the other side closed it. */
export const saidSomething = ({ errored, readableEnded }: Socket) =>
  !readableEnded && (errored?.name === 'SocketError' || errored?.name === 'HTTPParserError');
