import type { Socket } from 'node:net';
import { type ClientError, failed } from '../../base/client_error.ts';
import { connectOptions } from '../connect_options.ts';
import { connectionFailure } from '../connection_failure.ts';
import { mostInterim } from './answer_limits.ts';
import { Answer, type Exchange } from './exchange.ts';
import { usualRestMs } from './response_framing.ts';
import { type NoAnswer, ResponseParser } from './response_parser.ts';
import type { TlsSessions } from './tls_sessions.ts';
import { answeredUnasked, type EagerServers } from './unasked_answers.ts';

/** Hears of its connections. */
export interface ConnectionOwner {
  readonly origin: string;
  readonly eager: EagerServers;
  readonly sessions: TlsSessions;
  /** It can take a request. */
  opened(connection: Connection): void;
  /** Its answer is there, and it can take another request. */
  rested(connection: Connection): void;
  /** It is no more, by the server's doing where there is an error. */
  closed(connection: Connection, error: ClientError | undefined): void;
}

/**
 * A connection to one server, which carries one request after the other (RFC 9112). Each request is written at once, and
 * all connections read into one buffer: what comes is looked at in the call that brings it.
 */
export class Connection {
  /** Whether it could take requests at any time. */
  wasOpened = false;
  /** Whether it has carried a request. */
  hasServed = false;
  /** Until when its server can be trusted to keep it open, on the clock of `performance.now()`. */
  #restsUntil = Infinity;
  #isOpen = false;
  #exchange: Exchange | undefined;
  #error: ClientError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = 0;
  readonly #parser = new ResponseParser();
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket;

  constructor(url: URL, owner: ConnectionOwner) {
    this.#owner = owner;
    const isSecure = url.protocol === 'https:';
    const socket = isSecure ? this.#connectTls(url) : this.#connectPlain(url);
    this.#socket = socket;
    // No submission lasts longer (D15). This ends a connect that no request waits for any more.
    const timer = setTimeout(() => this.#giveUp(), connectTimeoutMs);
    timer.unref();
    // Only a request keeps the process alive, by its timer.
    socket.once('connect', () => socket.setNoDelay(true).setKeepAlive(true, 60_000).unref());
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      owner.eager.afterUnasked(owner.origin, () => this.#open());
    });
    socket.on('error', (error) => {
      const failure = connectionFailure(error, 'answer');
      // A reset in the handshake, for one: nothing was written yet.
      this.#error ??= failure.code === 'closed' ? closed(this.hasServed) : failure;
    });
    socket.once('end', () => this.#end());
    socket.once('close', () => {
      clearTimeout(timer);
      this.#close();
    });
  }

  /** Whether it can take a request now. */
  isFit(now: number): boolean {
    const { destroyed, writableLength } = this.#socket;
    // A request may be answered before all of it was sent.
    return this.#isOpen && !destroyed && writableLength === 0 && now < this.#restsUntil;
  }

  send(exchange: Exchange): void {
    exchange.stopWaiting();
    this.#exchange = exchange;
    this.hasServed = true;
    this.#parser.begin();
    this.#expireAt(exchange.deadline);
    this.#socket.write(exchange.wire, 'latin1');
  }

  destroy(): void {
    this.#isOpen = false;
    this.#socket.destroy();
  }

  #connectPlain({ hostname, port }: URL): Socket {
    const { connect } = process.getBuiltinModule('node:net');
    return connect({
      ...connectOptions,
      host: bare(hostname),
      port: port === '' ? 80 : Number(port),
      onread: this.#onRead(),
    });
  }

  #connectTls({ hostname, port }: URL): Socket {
    const { connect } = process.getBuiltinModule('node:tls');
    const { isIP } = process.getBuiltinModule('node:net');
    const { sessions, origin } = this.#owner;
    const host = bare(hostname);
    const session = sessions.get(origin);
    // `onread` is missing in the types of TLS alone.
    const options = {
      ...connectOptions,
      host,
      port: port === '' ? 443 : Number(port),
      // RFC 6066, 3: the name that is asked for is no IP address.
      servername: isIP(host) ? '' : host,
      ALPNProtocols: ['http/1.1'],
      ...(session && { session }),
      onread: this.#onRead(),
    };
    return connect(options).on('session', (session) => sessions.set(origin, session));
  }

  #onRead() {
    return {
      buffer: incoming,
      callback: (count: number): true => {
        this.#read(count);
        return true;
      },
    };
  }

  #open(): void {
    if (this.#error || this.#socket.destroyed) return;
    this.#isOpen = true;
    this.wasOpened = true;
    this.#restsUntil = performance.now() + usualRestMs;
    this.#owner.opened(this);
  }

  #giveUp(): void {
    this.#error ??= failed(
      'unreachable',
      { call: 'connect', codes: ['ETIMEDOUT'] },
      { retryAfterMs: 0, isUnsent: true },
    );
    this.destroy();
  }

  #read(count: number): void {
    if (!this.#exchange) return void this.#readUnasked(0, count);
    const parser = this.#parser;
    const end = parser.read(incoming, 0, count);
    if (!parser.isDone) return;
    const canRest = parser.restMs > 0;
    this.#settle();
    if (!canRest) return void this.destroy();
    if (end < count) return void this.#readUnasked(end, count);
    this.#owner.rested(this);
  }

  /** Bytes that no request asked for end the connection (D76). */
  #readUnasked(from: number, to: number): void {
    if (!isBlank(from, to)) this.#owner.eager.add(this.#owner.origin);
    if (!this.#isOpen) this.#error ??= answeredUnasked();
    this.destroy();
  }

  /** Gives the request its answer, or says why there is none. */
  #settle(): void {
    const exchange = this.#exchange;
    const { status, head, body, isCut, noAnswer, restMs } = this.#parser;
    this.#exchange = undefined;
    this.#timer?.unref();
    if (restMs > 0) this.#restsUntil = performance.now() + restMs;
    if (noAnswer) exchange?.fail(reasonOf(noAnswer));
    else if (this.#socket.writableLength === 0)
      exchange?.succeed(new Answer(status, head, body, isCut, false));
    // TLS reports a finished write in the next turn of the event loop.
    else
      setImmediate(() =>
        exchange?.succeed(new Answer(status, head, body, isCut, this.#socket.writableLength > 0)),
      );
  }

  /** The server says no more. */
  #end(): void {
    if (this.#exchange && this.#parser.end(true)) this.#settle();
    this.#error ??= closed(this.hasServed);
    this.destroy();
  }

  #close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    const exchange = this.#exchange;
    if (exchange && this.#parser.end(false)) this.#settle();
    else exchange?.fail(this.#error ?? closed(true));
    this.#exchange = undefined;
    this.#owner.closed(this, this.#error);
  }

  /** A timer that fires too soon looks again, so most requests start none. */
  #expireAt(deadline: number): void {
    if (this.#timer && this.#timerAt <= deadline) return void this.#timer.ref();
    clearTimeout(this.#timer);
    this.#timerAt = deadline;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, deadline - performance.now());
  }

  #look(): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    if (exchange.deadline - performance.now() >= 1) return void this.#expireAt(exchange.deadline);
    if (this.#parser.end(false)) this.#settle();
    else exchange.expire();
    this.#exchange = undefined;
    this.destroy();
  }
}

const connectTimeoutMs = 25_000;

/** A server may have taken a request that was sent. */
const closed = (hasServed: boolean) =>
  failed(
    'closed',
    { before: 'answer' },
    hasServed ? { retryAfterMs: 0 } : { retryAfterMs: 0, isUnsent: true },
  );

/** Node reads into it and calls back at once, so what one connection has read is never there for another. */
const incoming = Buffer.allocUnsafeSlow(65_536);

/** Line breaks may stand before a status line (RFC 9112, 2.2), and some servers write one after a body. */
function isBlank(from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (incoming[at] !== 0x0a && incoming[at] !== 0x0d) return false;
  return true;
}

/** Without the brackets of an IPv6 address. */
const bare = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1');

const reasonOf = (reason: NoAnswer): ClientError =>
  reason === 'too_many_1xx' ? failed(reason, { most: mostInterim }) : failed(reason);
