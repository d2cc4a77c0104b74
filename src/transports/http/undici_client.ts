import type { Socket } from 'node:net';
import type { Agent, buildConnector, Client, Dispatcher } from 'undici';
import { Bytes } from '../../bytes.ts';
import { ClientError, failed } from '../../client_error.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from '../../effects.ts';
import { connectOptions } from '../connect_options.ts';
import { connectionFailure } from '../connection_failure.ts';
import { inTurns } from '../in_turns.ts';
import { createNodeHttpClient } from './node_client.ts';
import { answeredUnasked, EagerServers } from './unasked_answers.ts';

/**
 * Sends through undici, one pool of keep-alive connections an origin, for as long as one of them is open: the fast
 * client, for a process that lives on. The first request loads undici. All that depends on undici 7 is in this file.
 *
 * Nothing is ever sent twice. undici closes an idle connection 2 s before the server's `Keep-Alive: timeout` says it
 * will, or after 4 s where it says nothing, and looks for a FIN before it uses one again. What remains is a server that
 * closes while the request is on its way: that request fails, because nobody knows whether it was taken.
 *
 * `close` resolves when every request under way has ended. It does not wait for connections that are still opening.
 *
 * @param spare Sends where the runtime brings an undici of its own that lacks what is used here, as Bun does.
 */
export function createUndiciClient(
  spare: HttpClient = createNodeHttpClient(Date.now),
): HttpClient & { close(): Promise<void> } {
  let agents: Agents | undefined;
  let isWhole = true;
  const traffic: Traffic = { underWay: 0, isClosed: false, onIdle: () => {} };
  const eager = new EagerServers();
  const sockets = new Set<Socket>();

  const dispatch = ({ keeping, closing }: Agents, request: HttpRequest) =>
    new Promise<HttpAnswer>((resolve, reject) => {
      if (traffic.isClosed) return reject(failed('client_closed'));
      const { method = 'POST', url, timeoutMs } = request;
      const { origin, pathname, search } = url;
      const exchange = new Exchange(timeoutMs, traffic, resolve, reject);
      const agent = eager.has(origin) ? closing : keeping;
      agent.dispatch({ origin, method, path: pathname + search, ...contentOf(request) }, exchange);
    });

  const useSpare: HttpClient = async (request) => {
    if (traffic.isClosed) throw failed('client_closed');
    traffic.underWay += 1;
    return spare(request).finally(() => leave(traffic));
  };

  const post: HttpClient = (request) => {
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
    traffic.isClosed = true;
    if (traffic.underWay > 0) await new Promise<void>((resolve) => (traffic.onIdle = resolve));
    await Promise.all([agents?.keeping.destroy(), agents?.closing.destroy()]);
    // undici leaves those alone that are still connecting, and they keep the process alive.
    for (const socket of sockets) socket.destroy();
  };
  let closing: Promise<void> | undefined;
  return Object.assign(post, { close: () => (closing ??= end()) });
}

/** undici asks for the next piece when the connection has taken the one before. */
function contentOf({ headers, body, streamed }: HttpRequest): Content {
  if (!streamed) return { headers, body };
  const length = String(streamed.byteLength);
  // It takes whatever can be iterated, which its own type leaves out.
  return { headers: { ...headers, 'content-length': length }, body: inTurns(streamed) as unknown as Buffer };
}

type Content = Pick<Dispatcher.DispatchOptions, 'headers' | 'body'>;

/** What a client's requests share. */
interface Traffic {
  /** How many requests wait for their answer. */
  underWay: number;
  isClosed: boolean;
  /** Called when the last one has ended. */
  onIdle(): void;
}

function leave(traffic: Traffic): void {
  traffic.underWay -= 1;
  if (traffic.underWay === 0) traffic.onIdle();
}

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
      eager.afterUnasked(origin, () => {
        const reason = unfitness(socket);
        if (reason === undefined) return callback(null, socket);
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
      (exchange as Exchange).line = this.#line;
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

/** It gives the socket, which undici's own type leaves out. */
type Connector = (...given: Parameters<buildConnector.connector>) => Socket;

interface Line {
  socket: Socket | undefined;
  /** The last request that was written to the socket. */
  exchange: Exchange | undefined;
}

/** Why a socket that has just connected must get no request. */
function unfitness(socket: Socket): Error | undefined {
  if (socket.readableLength > 0) return answeredUnasked();
  if (!socket.destroyed) return undefined;
  // Given to undici, it would make undici connect again and again.
  return socket.errored ?? failed('closed', { before: 'answer' }, { retryAfterMs: 0, isUnsent: true });
}

/** Whether undici gave a socket up because of bytes that it did not expect; and not because the other side closed it. */
const saidSomething = ({ errored, readableEnded }: Socket) =>
  !readableEnded && (errored?.name === 'SocketError' || errored?.name === 'HTTPParserError');

const agentOptions: Agent.Options = {
  // A server that hangs must not take every file descriptor: beyond this, requests wait in line.
  connections: 256,
  maxHeaderSize: 32_768,
  // The exchange has its own timer: undici's are up to a second late.
  headersTimeout: 0,
  bodyTimeout: 0,
};

/**
 * One request: undici's handler, with one timer over everything. From the final status on it has an answer (D42).
 *
 * It speaks the older handler interface of undici 7 (`onConnect`, `onHeaders`, ...). The newer one reads every answer's
 * headers, which few ask for, and costs 2 to 6 % of the CPU time of a submission with one output.
 */
class Exchange implements Dispatcher.DispatchHandler {
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
    if (this.line) this.line.exchange = this;
  }

  onRequestSent(): void {
    this.#isSent = true;
  }

  /** The last call is the answer's; the ones before are 1xx. */
  onHeaders(status: number, rawHeaders: Buffer[]): boolean {
    this.#status = status;
    this.#isEarly = !this.#isSent;
    this.#rawHeaders = rawHeaders;
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#body ??= new Bytes();
    this.#body.add(chunk);
    if (this.#body.length > bodyLimitBytes) {
      const enough = new Error('read enough');
      this.#settle(enough);
      this.#abort?.(enough);
    }
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
    const error = failed('timed_out', { timeoutMs: this.#timeoutMs });
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

const bodyLimitBytes = 65_536;

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
    const headers: Record<string, string> = Object.create(null);
    const texts = this.#rawHeaders.map((bytes) => bytes.toString('latin1'));
    for (let i = 0; i < texts.length; i += 2) {
      const name = texts[i]?.toLowerCase() ?? '';
      const value = texts[i + 1] ?? '';
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
    }
    return headers;
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
