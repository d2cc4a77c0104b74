import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { stackOf } from '@form-relay/base/client_error';
import { limitLog, throttledReport } from '@form-relay/base/throttled';
import type { RelayResponse } from '@form-relay/core/http/request';
import type { Log } from '@form-relay/core/services';
import { readSettings, type Settings } from '@form-relay/core/settings';
import type { RelayHandle } from '../running_relay.ts';
import { BodyRoom } from './body_reader.ts';
import { createLingering } from './closing.ts';
import { type Connection, trackConnections } from './connections.ts';
import { type ServerAnswer, Serving, unknownCoding, write } from './serving.ts';
import { createCollector, createUploadReader } from './upload_reader.ts';

export interface NodeServerOptions {
  /** Gets at most one line per second about invalid requests. No line contains the input. */
  readonly log?: Log;
  /** Default: the limits of an empty environment. */
  readonly limits?: Pick<Settings, 'connectionLimit' | 'clientConnectionLimit' | 'bodyBytesLimit'>;
  /** Gets functions that return the number of connections and of body bytes, and their limits, for metrics. */
  readonly level?:
    | ((name: 'connections' | 'body_bytes', read: () => number, limit: number) => void)
    | undefined;
  /** Answers a request itself and returns `true`, or passes it to `handle`. Needed for answers that never end. */
  readonly stream?: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;
}

/** A relay, or a function that answers all requests, with the usual body limit. */
export type ServerHandle = ((...request: Parameters<RelayHandle>) => Promise<ServerAnswer>) &
  Partial<Pick<RelayHandle, 'admit' | 'uploads'>>;

/**
 * The relay on `node:http`. The caller listens; `closeServer` ends it. Each additional object or call here
 * measurably affects speed.
 */
export function createNodeServer(handle: ServerHandle, options: NodeServerOptions = {}): Server {
  const { log, limits = readSettings({}), level, stream } = options;
  const server = createServer({
    headersTimeout: 10_000,
    // Node checks every second, so a slow sender occupies its connection for at most 15 s.
    requestTimeout: 14_000,
    connectionsCheckingInterval: 1_000,
    // `isSound` checks the Host header, and answers in JSON.
    requireHostHeader: false,
    // `trackConnections` has its own timeout.
    keepAliveTimeout: 0,
  });
  // For clients that do not read their answers. A delivery may take 25 s.
  server.timeout = 30_000;
  // The size of all headers is limited. By default Node would silently drop headers after the first 2,000.
  server.maxHeadersCount = 0;
  // A client that closes its sending side still gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true });

  const now = () => performance.now();
  const logRefused = throttledReport(now, (requests, refusal: Pick<Refusal, 'reason'>) =>
    log?.('info', 'refused', { ...refusal, requests }),
  );
  const logLimit = (name: string, limit: number) =>
    limitLog({ now, log: (...event) => log?.(...event) }, name, limit);
  const connections = trackConnections(server, limits, logLimit);
  const room = new BodyRoom(limits.bodyBytesLimit, logLimit('BODY_BYTES_LIMIT', limits.bodyBytesLimit));
  level?.('connections', connections.open, connections.limit);
  level?.('body_bytes', () => room.heldBytes, limits.bodyBytesLimit);
  const collect = createCollector();
  const linger = createLingering(connections, collect, () => !server.listening);
  const readUpload =
    handle.uploads &&
    createUploadReader({
      room: handle.uploads,
      collect,
      now,
      silentMs: () => server.requestTimeout,
      cut: ({ incoming }) => endWith(incoming.socket, requestTimeout),
    });

  const refuse = (socket: Duplex, code = ''): RelayResponse => {
    const refusal = refusals[code] ?? invalid;
    // Browsers open connections before they have a request.
    if ((socket as Socket).bytesRead > 0) logRefused(refusal);
    return refusalAnswer(refusal);
  };

  /** Ends a connection after this answer, even if the client sends more. */
  const lingerAfter = (outgoing: ServerResponse, connection: Connection) => {
    // Node also parses input that arrives in one piece with the end of a body. A request there would be relayed without an answer.
    connection.lastRequest = Math.min(connection.lastRequest, connection.requests);
    const end = () => linger(connection);
    // Node calls `destroySoon` after the last answer of a connection.
    connection.socket.destroySoon = end;
    if (outgoing.writableFinished) end();
    else outgoing.once('close', end);
  };

  const context = {
    handle,
    server,
    room,
    readUpload,
    refuse,
    fail: (error: unknown) => log?.('error', 'internal_error', { stack: stackOf(error) }),
    linger,
    lingerAfter,
  };
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse, isAsking = false) => {
    if (stream?.(incoming, outgoing)) return;
    const connection = connections.use(incoming.socket, outgoing);
    const number = connection.requests;
    // After an answer with `Connection: close`, further input is not a request (RFC 9112, 9.6).
    if (number > connection.lastRequest) return;
    // An answer gets its socket once the answers before it are sent.
    if (outgoing.socket === null && isBeyondPipeline(outgoing, connection)) {
      connection.lastRequest = number;
      logRefused(tooManyAtOnce);
      // Waiting until its answers are read would keep all its requests in memory: 64 KB can hold a thousand.
      incoming.socket.destroy();
      return;
    }
    // Node's parser drops input that arrives in one piece with the end of an upgrade request, so its answer is the last.
    if (incoming.headers.upgrade !== undefined) {
      connection.lastRequest = number;
      outgoing.shouldKeepAlive = false;
    }
    new Serving(incoming, outgoing, connection, isAsking, context).begin();
  };
  server.on('request', serve);
  // A client that asks for permission to send a body that is too long gets its answer instead.
  server.on('checkContinue', (incoming, outgoing) => serve(incoming, outgoing, true));
  // Unknown expectations may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (incoming, outgoing) => serve(incoming, outgoing));

  /** Refuses an invalid request, and ends the connection. */
  const endWith = (socket: Duplex, code?: string) => {
    const connection = connections.get(socket);
    // Node reports the error again for each piece of input.
    if (!connection || connection.isEnding) return;
    connection.isEnding = true;
    const last = connection.answer;
    if (last && !last.writableFinished && socket.writable) {
      // Earlier requests are answered first; otherwise this refusal would look like their answer.
      lingerAfter(last, connection);
      if (last.req.complete) return;
      if (!last.headersSent) write(last, refuse(socket, code));
      connection.reading?.giveUp();
      return;
    }
    // A request that was cut short has already been answered.
    const isAnswered = last?.req.complete === false;
    if (socket.writable && !isAnswered) socket.write(onTheWire(refuse(socket, code)));
    linger(connection);
  };
  // Node's parser doesn't report an upgrade request that ends in the middle of its body.
  server.on('connection', (socket) => {
    socket.once('end', () => {
      if (connections.get(socket)?.answer?.req.complete === false) endWith(socket);
    });
  });
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    // Uploads may take longer. Node reports the timeout once per request.
    if (code === requestTimeout && connections.get(socket)?.mayGoOn?.()) return;
    endWith(socket, code);
  });
  // Without a listener, Node cuts the connection and loses pending answers.
  server.on('connect', (_incoming, socket) => {
    socket.on('error', () => undefined);
    endWith(socket);
  });
  return server;
}

const requestTimeout = 'ERR_HTTP_REQUEST_TIMEOUT';

/** More requests than any client sends on one connection without reading the answers. */
const mostPipelined = 32;

const tooManyAtOnce = { reason: 'too many requests at once on one connection' };

/** Unread answers stay in memory, so only this many requests may follow them. */
function isBeyondPipeline(outgoing: ServerResponse, connection: Connection): boolean {
  connection.pipelined += 1;
  outgoing.once('close', () => {
    connection.pipelined -= 1;
  });
  return connection.pipelined > mostPipelined;
}

interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** Answers to invalid or endless requests, by Node's error code. */
const refusals: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: 'the request took too long' },
  HPE_HEADER_OVERFLOW: { status: 431, reason: 'the headers are too long' },
  [unknownCoding]: { status: 501, reason: 'the only supported transfer coding is chunked' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, reason: 'the chunk extensions are too long' },
};

const invalid: Refusal = { status: 400, reason: 'this is not a valid HTTP request' };

/** The last answer on a connection, in JSON like all others. */
const refusalAnswer = ({ status, reason }: Refusal): RelayResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', connection: 'close' },
  body: JSON.stringify({ error: reason }),
});

/** The bytes of an answer to an invalid request. */
function onTheWire({ status, headers, body }: RelayResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, `content-length: ${body.length}`];
  return [...head, '', body].join('\r\n');
}
