import type { Socket } from 'node:net';
import { ClientError } from '@form-relay/base/client_error';
import { failed } from '../failures.ts';
import { bareHost, connectionFailure, connectOptionsFor, isAmong, serverName } from '../socket.ts';
import { Answer, type Exchange } from './http_exchange.ts';
import type { ConnectionPool } from './http_pool.ts';
import { mostInterim, unsolicitedResponse, usualRestMs, writePieces } from './protocol.ts';
import { type NoAnswer, ResponseParser } from './response_parser.ts';

/**
 * A connection to a server, which carries one request after another (RFC 9112). All connections read into the
 * same buffer, so each must parse its bytes in the callback that delivers them.
 */
export class Connection {
  /** Whether it was ever ready for requests. */
  wasOpened = false;
  hasServed = false;
  /** When the server may close it, according to `performance.now()`. */
  #restsUntil = Infinity;
  #isOpen = false;
  #exchange: Exchange | undefined;
  /** Whether the whole request was handed to the socket, which may not have written it yet. */
  #isSent = true;
  #error: ClientError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = 0;
  readonly #parser = new ResponseParser();
  readonly #owner: ConnectionPool;
  readonly #socket: Socket;

  constructor(url: URL, owner: ConnectionPool) {
    this.#owner = owner;
    const isSecure = url.protocol === 'https:';
    const socket = isSecure ? this.#connectTls(url) : this.#connectPlain(url);
    this.#socket = socket;
    // No submission lasts longer. The timer ends a connect that no request is waiting for any more.
    const timer = setTimeout(() => this.#giveUp(), connectTimeoutMs);
    timer.unref();
    // Only the timer of a request keeps the process alive.
    socket.once('connect', () => {
      // Some runtimes look up the host themselves, so check the address again.
      if (!isAmong(socket.remoteAddress, owner.addresses)) socket.destroy(failed('redirected_inside'));
      else socket.setNoDelay(true).setKeepAlive(true, 60_000).unref();
    });
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      owner.context.eager.afterUnsolicited(owner.origin, () => this.#open());
    });
    socket.on('error', (error) => {
      const failure = error instanceof ClientError ? error : connectionFailure(error, 'answer');
      // After a reset during the handshake, nothing was written yet.
      this.#error ??= failure.code === 'closed' ? closed(this.hasServed) : failure;
    });
    socket.once('end', () => this.#end());
    socket.once('close', () => {
      clearTimeout(timer);
      this.#close();
    });
  }

  isFit(now: number): boolean {
    const { destroyed, writableLength } = this.#socket;
    // A response may come before the whole request was sent.
    return this.#isOpen && !destroyed && writableLength === 0 && now < this.#restsUntil;
  }

  send(exchange: Exchange): void {
    exchange.goOn(this);
    this.#exchange = exchange;
    this.hasServed = true;
    this.#parser.begin(exchange.limitBytes);
    this.#expireAt(exchange.deadline);
    this.#socket.write(exchange.wire, 'latin1');
    const { streamed } = exchange;
    if (!streamed) return;
    this.#isSent = false;
    writePieces(streamed, this.#socket, (last) => {
      this.#isSent = true;
      this.#socket.write(last);
    });
  }

  /** Aborts the current request. */
  abort(): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.fail(failed('aborted'));
    this.destroy();
  }

  destroy(): void {
    this.#isOpen = false;
    this.#socket.destroy();
  }

  #connectPlain(url: URL): Socket {
    const { connect } = process.getBuiltinModule('node:net');
    return connect({
      ...connectOptionsFor(this.#owner.addresses),
      host: bareHost(url),
      port: url.port === '' ? 80 : Number(url.port),
      onread: this.#onread,
    });
  }

  #connectTls(url: URL): Socket {
    const { connect } = process.getBuiltinModule('node:tls');
    const { origin, context, addresses } = this.#owner;
    const host = bareHost(url);
    const session = context.sessions.get(origin);
    // The types of TLS sockets lack `onread`.
    const options = {
      ...connectOptionsFor(addresses),
      host,
      port: url.port === '' ? 443 : Number(url.port),
      servername: serverName(host),
      ALPNProtocols: ['http/1.1'],
      ...(session && { session }),
      onread: this.#onread,
    };
    return connect(options).on('session', (session) => context.sessions.set(origin, session));
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

  /** Node's option, called when bytes were read into the buffer. Returns `true` to continue reading. */
  readonly #onread = {
    buffer: incoming,
    callback: (count: number): true => {
      if (!this.#exchange) return this.#readUnasked(0, count);
      const parser = this.#parser;
      const end = parser.read(incoming, 0, count);
      if (!parser.isDone) return true;
      const canRest = parser.restMs > 0 && this.#isSent;
      this.#settle();
      if (!canRest) this.destroy();
      else if (end < count) this.#readUnasked(end, count);
      else this.#owner.rested(this);
      return true;
    },
  };

  /** Unsolicited bytes close the connection. */
  #readUnasked(from: number, to: number): true {
    if (!isBlank(from, to)) this.#owner.context.eager.add(this.#owner.origin);
    if (!this.#isOpen) this.#error ??= unsolicitedResponse();
    this.destroy();
    return true;
  }

  #settle(): void {
    const exchange = this.#exchange;
    const { status, head, body, bytes, isCut, noAnswer, restMs } = this.#parser;
    this.#exchange = undefined;
    this.#timer?.unref();
    if (restMs > 0) this.#restsUntil = performance.now() + restMs;
    if (noAnswer) return void exchange?.fail(reasonOf(noAnswer));
    const isRedirect = status >= 300 && status < 400;
    const remoteAddress = isRedirect ? this.#socket.remoteAddress : undefined;
    const answer = new Answer(status, head, body, bytes, isCut, !this.#isSent, remoteAddress);
    if (answer.isEarly || this.#socket.writableLength === 0) exchange?.succeed(answer);
    // TLS reports a finished write only in the next turn of the event loop.
    else
      setImmediate(() => {
        answer.isEarly = this.#socket.writableLength > 0;
        exchange?.succeed(answer);
      });
  }

  /** The server has closed its side. */
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

  /** If the timer fires too early, it checks the deadline again, so most requests need no timer of their own. */
  #expireAt(deadline: number): void {
    if (this.#timer && this.#timerAt <= deadline) return void this.#timer.ref();
    clearTimeout(this.#timer);
    this.#timerAt = deadline;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#checkDeadline();
    }, deadline - performance.now());
  }

  #checkDeadline(): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    if (exchange.deadline - performance.now() >= 1) return void this.#expireAt(exchange.deadline);
    // A body requested as bytes must be complete.
    if (exchange.limitBytes === undefined && this.#parser.end(false)) this.#settle();
    else exchange.expire();
    this.#exchange = undefined;
    this.destroy();
  }
}

const connectTimeoutMs = 25_000;

/** The server may have accepted a request that was sent. */
const closed = (hasServed: boolean) =>
  failed(
    'closed',
    { before: 'answer' },
    hasServed ? { retryAfterMs: 0 } : { retryAfterMs: 0, isUnsent: true },
  );

/** Shared by all connections: Node reads into it and then calls back at once. */
const incoming = Buffer.allocUnsafeSlow(65_536);

/**
 * Whether there are only line breaks. Line breaks may precede a status line (RFC 9112, 2.2), and some servers
 * send one after a body.
 */
function isBlank(from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (incoming[at] !== 0x0a && incoming[at] !== 0x0d) return false;
  return true;
}

const reasonOf = (reason: NoAnswer): ClientError =>
  reason === 'too_many_1xx' ? failed(reason, { most: mostInterim }) : failed(reason);
