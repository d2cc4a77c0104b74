import type { Socket } from 'node:net';
import type { Agent, buildConnector, Client, Dispatcher } from 'undici';
import { failed } from '../../base/client_error.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from '../../base/effects.ts';
import type { Streamed } from '../../base/streamed.ts';
import { connectOptions } from '../connect_options.ts';
import { inTurns } from '../in_turns.ts';
import { headLimitBytes } from './answer_limits.ts';
import { createNodeHttpClient } from './node_client.ts';
import { createTraffic, drain, leave } from './traffic.ts';
import { answeredUnasked, EagerServers } from './unasked_answers.ts';
import { type Line, saidSomething, UndiciExchange } from './undici_exchange.ts';

/** A request whose body is sent in pieces. */
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
 * The first request loads undici. Only undici_exchange.ts speaks undici's handler interface.
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
  return { headers: { ...headers, 'content-length': length }, body: inTurns(streamed) as unknown as Buffer };
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
      eager.afterUnasked(origin, () => {
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

/** It gives the socket, which undici's own type leaves out. */
type Connector = (...given: Parameters<buildConnector.connector>) => Socket;

/** Why a socket that has just connected must get no request. */
function unfitness(socket: Socket): Error | undefined {
  if (socket.readableLength > 0) return answeredUnasked();
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
