import type { Socket } from 'node:net';
import type { Agent, buildConnector, Client, Dispatcher } from 'undici';
import { Bytes } from '../../base/bytes.ts';
import { ClientError, failed } from '../../base/client_error.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from '../../base/effects.ts';
import type { Streamed } from '../../base/streamed.ts';
import { connectionFailure, connectOptions, yieldingPieces } from '../socket.ts';
import { createTraffic, drain, leave, type Traffic } from './http_exchange.ts';
import { createNodeHttpClient } from './node_client.ts';
import {
  bodyLimitBytes,
  EagerServers,
  framingLimitBytes,
  headLimitBytes,
  joinedHeaders,
  mostInterim,
  unsolicitedResponse,
} from './protocol.ts';

export interface StreamedRequest extends HttpRequest {
  readonly streamed: Streamed;
}

/** Sends bodies in pieces. Rejects with a `ClientError` when no final status came (D42). */
export interface StreamingClient {
  (request: StreamedRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/**
 * Sends bodies in pieces through undici, one pool of keep-alive connections an origin, for as long as one of them is open.
 * The first request loads undici. Only `UndiciExchange` speaks undici's handler interface.
 *
 * Nothing is ever sent twice. undici closes an idle connection 2 s before the server's `Keep-Alive: timeout` says it
 * will, or after 4 s where it says nothing, and looks for a FIN before it uses one again. What remains is a server that
 * closes while the request is on its way: that request fails, because nobody knows whether it was taken.
 *
 * `close` resolves when every request under way has ended. It does not wait for connections that are still opening.
 *
 * @param spare Sends where the runtime brings an undici of its own that lacks what is used here, as Bun does.
 */
export function createUndiciClient(spare: HttpClient = createNodeHttpClient(Date.now)): StreamingClient {
  let agents: Agents | undefined;
  let isWhole = true;
  const traffic = createTraffic();
  const eager = new EagerServers();
  const sockets = new Set<Socket>();

  const dispatch = ({ keeping, closing }: Agents, request: StreamedRequest) =>
    new Promise<HttpAnswer>((resolve, reject) => {
      if (traffic.isClosed) return reject(failed('client_closed'));
      const { method = 'POST', url, timeoutMs } = request;
      const { origin, pathname, search } = url;
      const exchange = new UndiciExchange(timeoutMs, traffic, resolve, reject);
      const agent = eager.has(origin) ? closing : keeping;
      agent.dispatch({ origin, method, path: pathname + search, ...contentOf(request) }, exchange);
    });

  const useSpare: HttpClient = async (request) => {
    if (traffic.isClosed) throw failed('client_closed');
    traffic.underWay += 1;
    return spare(request).finally(() => leave(traffic));
  };

  const post = (request: StreamedRequest): Promise<HttpAnswer> => {
    if (agents !== undefined) return dispatch(agents, request);
    if (!isWhole) return useSpare(request);
    return import('undici').then((undici) => {
      isWhole = typeof undici.Client?.prototype?.dispatch === 'function';
      if (!isWhole) return useSpare(request);
      agents ??= createAgents(undici, eager, sockets);
      return dispatch(agents, request);
    });
  };
  const end = async () => {
    await drain(traffic);
    await Promise.all([agents?.keeping.destroy(), agents?.closing.destroy()]);
    // undici leaves those alone that are still connecting, and they keep the process alive.
    for (const socket of sockets) socket.destroy();
  };
  let closing: Promise<void> | undefined;
  return Object.assign(post, { close: () => (closing ??= end()) });
}

/** undici asks for the next piece when the connection has taken the one before. */
function contentOf({ headers, streamed }: StreamedRequest): Content {
  const length = String(streamed.byteLength);
  // It takes whatever can be iterated, which its own type leaves out.
  return {
    headers: { ...headers, 'content-length': length },
    body: yieldingPieces(streamed) as unknown as Buffer,
  };
}

type Content = Pick<Dispatcher.DispatchOptions, 'headers' | 'body'>;

interface Agents {
  readonly keeping: Agent;
  /** Makes a connection for each request. */
  readonly closing: Agent;
}

/** @param sockets Gets every socket, as long as it is not closed. */
function createAgents(undici: typeof import('undici'), eager: EagerServers, sockets: Set<Socket>): Agents {
  const { Agent, Client, Pool } = undici;
  // No submission lasts longer (D15). This ends a connect that no request waits for any more.
  const connect = undici.buildConnector({ ...connectOptions, timeout: 25_000 }) as Connector;

  const open = (
    line: Line,
    origin: string,
    to: buildConnector.Options,
    callback: buildConnector.Callback,
  ) => {
    const socket = connect(to, (...[error]) => {
      if (error) return callback(error, null);
      eager.afterUnsolicited(origin, () => {
        const reason = unfitness(socket);
        if (reason === undefined) {
          socket.on('readable', () => line.exchange?.onRead(socket.bytesRead));
          return callback(null, socket);
        }
        if (socket.readableLength > 0) eager.add(origin);
        socket.destroy();
        callback(reason, null);
      });
    });
    line.socket = socket;
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (line.exchange?.isSettled !== false && saidSomething(socket)) eager.add(origin);
    });
  };

  /** What undici calls a client has one connection at a time, and one request. */
  class OneLine extends Client {
    readonly #line: Line;

    constructor(origin: URL, options: Client.Options) {
      const line: Line = { socket: undefined, exchange: undefined };
      super(origin, { ...options, connect: (to, callback) => open(line, origin.origin, to, callback) });
      this.#line = line;
    }

    override dispatch(options: Dispatcher.DispatchOptions, exchange: Dispatcher.DispatchHandler): boolean {
      (exchange as UndiciExchange).line = this.#line;
      return super.dispatch(options, exchange);
    }
  }

  const factory: Agent.Options['factory'] = (origin, options) =>
    new Pool(origin, { ...options, factory: (origin, options) => new OneLine(origin, options) });
  return {
    keeping: new Agent({ ...agentOptions, factory, pipelining: 1 }),
    closing: new Agent({ ...agentOptions, factory, pipelining: 0 }),
  };
}

/** Returns the socket, which undici's type omits. */
type Connector = (...given: Parameters<buildConnector.connector>) => Socket;

/** Why a socket that has just connected must get no request. */
function unfitness(socket: Socket): Error | undefined {
  if (socket.readableLength > 0) return unsolicitedResponse();
  if (!socket.destroyed) return undefined;
  // Given to undici, it would make undici connect again and again.
  return socket.errored ?? failed('closed', { before: 'answer' }, { retryAfterMs: 0, isUnsent: true });
}

const agentOptions: Agent.Options = {
  // A server that hangs must not take every file descriptor: beyond this, requests wait in line.
  connections: 256,
  maxHeaderSize: headLimitBytes,
  // The exchange has its own timer: undici's are up to a second late.
  headersTimeout: 0,
  bodyTimeout: 0,
};

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

/** Reads its headers on demand. */
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
    return joinedHeaders(this.#rawHeaders.map((bytes) => bytes.toString('latin1')));
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
