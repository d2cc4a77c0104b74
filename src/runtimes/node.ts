import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { Handle } from '../app.ts';
import { maxBodyBytes, type RelayRequest, type RelayResponse } from '../http.ts';

/** How much of a refused body is still read: a sender that is answered before it is through sees a reset connection (D2). */
const drainBytes = 1_048_576;

/** Stands for a body that is too long, without holding it. */
const tooLong = new Uint8Array(maxBodyBytes + 1);

/**
 * The open connections of each server, with the last answer on each. None yet: browsers, probes and scanners open
 * connections that never say anything.
 */
const connectionsOf = new WeakMap<Server, Map<Duplex, ServerResponse | undefined>>();

/** The relay on `node:http`. The caller listens; `closeServer` ends it. */
export function createNodeServer(handle: Handle): Server {
  const server = createServer({
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    connectionsCheckingInterval: 1_000,
    // Longer than load balancers keep theirs, so that they never send on a connection that is just being closed.
    keepAliveTimeout: 65_000,
  });
  const connections = new Map<Duplex, ServerResponse | undefined>();
  connectionsOf.set(server, connections);
  server.on('connection', (socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });

  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    connections.set(incoming.socket, outgoing);
    const send = ({ status, headers, body }: RelayResponse) => {
      // An answer to HEAD would have to give the length of the body that GET gets, or none (RFC 9110, 8.6).
      const hasLength = status !== 204 && incoming.method !== 'HEAD';
      const length = hasLength ? { 'content-length': Buffer.byteLength(body) } : {};
      const connection = server.listening ? {} : { connection: 'close' };
      outgoing.writeHead(status, Object.assign({}, headers, length, connection));
      outgoing.end(body);
    };
    readBody(incoming, (body) => {
      if (body === tooLong) outgoing.setHeader('connection', 'close');
      void handle(toRelayRequest(incoming, body)).then(send);
    });
  };
  server.on('request', serve);
  // A client that asks before it sends a body that is too long gets its answer instead of permission.
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (!isDeclaredTooLong(incoming)) outgoing.writeContinue();
    serve(incoming, outgoing);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const outgoing = connections.get(socket);
    const isMidAnswer = outgoing?.headersSent && !outgoing.writableFinished;
    if (socket.writable && !isMidAnswer) socket.write(refusal(error.code));
    socket.destroy();
  });
  return server;
}

/** An answer to what is no HTTP request, or one that never ends: before there is anything to relay. */
function refusal(code: string | undefined): string {
  const [status, text] = refusals[code ?? ''] ?? [400, 'this is not a valid HTTP request'];
  const body = JSON.stringify({ error: text });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${body.length}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

const refusals: Readonly<Record<string, readonly [status: number, text: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long'],
  HPE_HEADER_OVERFLOW: [431, 'the headers are too long'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the chunk extensions are too long'],
};

/** Stops accepting, lets answers under way go out, and cuts what is still open after `deadlineMs`. */
export async function closeServer(server: Server, deadlineMs: number): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  const closed = new Promise((resolve) => server.close(resolve));
  for (const [socket, answer] of connectionsOf.get(server) ?? []) {
    if (!answer) socket.destroy();
  }
  await closed;
  clearTimeout(deadline);
}

const isDeclaredTooLong = ({ headers }: IncomingMessage) => Number(headers['content-length']) > maxBodyBytes;

/**
 * Calls back once: with the whole body, or with `tooLong`; that only when the sender is through, unless it asked before
 * sending. A client that goes away in the middle of its request has nobody to answer and nothing to relay.
 */
function readBody(incoming: IncomingMessage, done: (body: Uint8Array) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let isDone = false;
  const finish = (body: Uint8Array) => {
    if (isDone) return;
    isDone = true;
    done(body);
  };
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBodyBytes) chunks.push(chunk);
    else if (size > drainBytes) finish(tooLong);
  });
  incoming.on('end', () => {
    if (size > maxBodyBytes) finish(tooLong);
    else finish(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
  });
  incoming.on('error', () => undefined);
  if (isDeclaredTooLong(incoming) && incoming.headers.expect !== undefined) finish(tooLong);
}

function toRelayRequest({ method = '', url = '', headers }: IncomingMessage, body: Uint8Array): RelayRequest {
  // RFC 9112, 3.2.2: a server takes `POST http://host/path` too.
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = target.indexOf('?');
  return {
    method,
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: headers as RelayRequest['headers'],
    body,
  };
}
