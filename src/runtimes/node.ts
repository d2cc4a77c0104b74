import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Bytes } from '../bytes.ts';
import type { Log } from '../effects.ts';
import { maxBodyBytes, type RelayRequest, type RelayResponse } from '../http.ts';
import type { Handle } from '../street/app.ts';

/** How much of a refused body is still read: a sender that is answered before it is through sees a reset connection (D2). */
const drainBytes = 1_048_576;

/** Stands for a body that is too long, without holding it. */
const tooLong = new Uint8Array(maxBodyBytes + 1);

/**
 * The open connections of each server, with the last answer on each. None yet: browsers, probes and scanners open
 * connections that never say anything.
 */
const connectionsOf = new WeakMap<Server, Map<Duplex, ServerResponse | undefined>>();

export interface NodeServerOptions {
  /** Gets a line of what is refused before it is a request: nothing of what was sent, and at most one line a second. */
  readonly log?: Log;
  /** Answers a request itself and returns `true`, or leaves it to `handle`: for answers that never end. */
  readonly stream?: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;
}

/** The relay on `node:http`. The caller listens; `closeServer` ends it. */
export function createNodeServer(handle: Handle, { log, stream }: NodeServerOptions = {}): Server {
  const server = createServer({
    headersTimeout: 10_000,
    // Looked at every second: no slow sender keeps its place for more than 15 s.
    requestTimeout: 14_000,
    connectionsCheckingInterval: 1_000,
    // `isSound` sees to it, and answers in JSON.
    requireHostHeader: false,
    // Longer than load balancers keep theirs, so that they never send on a connection that is just being closed.
    keepAliveTimeout: 65_000,
  });
  // Who does not read its answers; a delivery may take 25 s.
  server.timeout = 30_000;
  // Their size has a limit. Beyond 2,000, Node would overlook them silently.
  server.maxHeadersCount = 0;
  const connections = new Map<Duplex, ServerResponse | undefined>();
  connectionsOf.set(server, connections);
  server.on('connection', (socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });

  /** Which request is the last on its connection. Several may be under way, and a later one be known as it first. */
  const lastOn = new WeakMap<Duplex, number>();
  let served = 0;
  const logRefused = refusalLog(log);
  const refusalOf = (socket: Duplex, code?: string): RelayResponse => {
    const [status, error] = refusals[code ?? ''] ?? [400, 'this is not a valid HTTP request'];
    // Browsers connect before they have something to ask.
    if ((socket as Socket).bytesRead > 0) logRefused(status, error);
    const headers = { 'content-type': 'application/json; charset=utf-8', connection: 'close' };
    return { status, headers, body: JSON.stringify({ error }) };
  };
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (stream?.(incoming, outgoing)) return;
    connections.set(incoming.socket, outgoing);
    served += 1;
    const number = served;
    const send = (answer: RelayResponse) => {
      // Its body was too long, and then no HTTP: `refuse` has answered meanwhile.
      if (outgoing.headersSent) return;
      if (!server.listening) outgoing.setHeader('connection', 'close');
      write(outgoing, answer);
    };
    readBody(incoming, (body) => {
      // After an answer with `Connection: close`, nothing on the connection is a request (RFC 9112, 9.6).
      if (number > (lastOn.get(incoming.socket) ?? Infinity)) return;
      const sound = isSound(incoming);
      if (body === tooLong || !sound) {
        lastOn.set(incoming.socket, number);
        outgoing.setHeader('connection', 'close');
      }
      if (sound) void handle(toRelayRequest(incoming, body)).then(send);
      else send(refusalOf(incoming.socket));
    });
  };
  server.on('request', serve);
  // A client that asks before it sends a body that is too long gets its answer instead of permission.
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (!isDeclaredTooLong(incoming)) outgoing.writeContinue();
    serve(incoming, outgoing);
  });
  // An expectation that nobody knows may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', serve);
  const refuse = (socket: Duplex, code?: string) => {
    const last = connections.get(socket);
    if (last && !last.writableFinished && socket.writable) {
      // What came before is answered first, or this refusal would pass for its answer.
      last.once('close', () => socket.destroy());
      if (!last.req.complete && !last.headersSent) write(last, refusalOf(socket, code));
      return;
    }
    if (socket.writable) socket.write(onTheWire(refusalOf(socket, code)));
    socket.destroy();
  };
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => refuse(socket, code));
  // Without this, Node cuts the connection, and with it the answers that are under way.
  server.on('connect', (_incoming, socket) => {
    socket.on('error', () => undefined);
    refuse(socket);
  });
  return server;
}

function write(outgoing: ServerResponse, { status, headers, body }: RelayResponse): void {
  const namesAndValues: string[] = [];
  for (const name in headers) namesAndValues.push(name, headers[name] as string);
  // An answer to HEAD would have to give the length of the body that GET gets, or none (RFC 9110, 8.6).
  const hasLength = status !== 204 && outgoing.req.method !== 'HEAD';
  if (hasLength) namesAndValues.push('content-length', String(Buffer.byteLength(body)));
  outgoing.writeHead(status, namesAndValues);
  outgoing.end(body);
}

/**
 * Node also takes other versions, and several hosts: of two, the relay and what stands in front of it might each
 * believe another. HTTP/1.1 has exactly one (RFC 9112, 3.2).
 */
function isSound({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts += 1;
  }
  return httpVersion === '1.1' ? hosts === 1 : httpVersion === '1.0' && hosts <= 1;
}

function onTheWire({ status, headers, body }: RelayResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, `content-length: ${body.length}`];
  return [...head, '', body].join('\r\n');
}

/** What is no HTTP request, or one that never ends, is answered before there is anything to relay. */
const refusals: Readonly<Record<string, readonly [status: number, text: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long'],
  HPE_HEADER_OVERFLOW: [431, 'the headers are too long'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the chunk extensions are too long'],
};

/** One line a second, with the status and reason of the latest, and how many there were since the line before. */
function refusalLog(log: Log | undefined): (status: number, reason: string) => void {
  let requests = 0;
  let loggedAt = -Infinity;
  return (status, reason) => {
    requests += 1;
    const at = performance.now();
    if (at - loggedAt < 1_000) return;
    log?.('info', 'refused', { status, reason, requests });
    loggedAt = at;
    requests = 0;
  };
}

/** How long a server that ends still reads from connections that rest: what crossed the end on its way is answered. */
const lastCallMs = 200;

/** How long it may take to accept the connections that were already made. */
const acceptMs = 2_000;

/**
 * Refuses new connections, answers what still comes on open ones within a moment, lets answers under way go out, and
 * cuts what is open after `deadlineMs`.
 */
export async function closeServer(server: Server, deadlineMs: number): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await acceptWaiting(server);
  // Not http's `close`, which cuts connections that rest at once: requests that are not yet read would be lost.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  await new Promise((resolve) => setTimeout(resolve, lastCallMs));
  server.closeIdleConnections();
  for (const [socket, answer] of connectionsOf.get(server) ?? []) {
    if (!answer) socket.destroy();
  }
  await closed;
  clearTimeout(deadline);
}

/** Connections wait in the system's queue, with a request perhaps, and Node accepts one in a turn of its event loop. */
async function acceptWaiting(server: Server): Promise<void> {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const until = performance.now() + acceptMs;
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  // The turn that this one is in may have accepted already.
  await turn();
  for (let before = -1; before < accepted && performance.now() < until; ) {
    before = accepted;
    await turn();
  }
  server.off('connection', count);
}

const isDeclaredTooLong = ({ headers }: IncomingMessage) => Number(headers['content-length']) > maxBodyBytes;

/**
 * Calls back once: with the whole body, or with `tooLong`; that only when the sender is through, unless it asked before
 * sending. A client that goes away in the middle of its request has nobody to answer and nothing to relay.
 */
function readBody(incoming: IncomingMessage, done: (body: Uint8Array) => void): void {
  const read = new Bytes();
  let size = 0;
  let isDone = false;
  const finish = (body: Uint8Array) => {
    if (isDone) return;
    isDone = true;
    done(body);
  };
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBodyBytes) read.add(chunk);
    else if (size > drainBytes) finish(tooLong);
  });
  incoming.on('end', () => {
    finish(size > maxBodyBytes ? tooLong : read.all);
  });
  incoming.on('error', () => undefined);
  if (isDeclaredTooLong(incoming) && incoming.headers.expect !== undefined) finish(tooLong);
}

function toRelayRequest({ method = '', url = '', headers }: IncomingMessage, body: Uint8Array): RelayRequest {
  // RFC 9112, 3.2.2: a server takes `POST http://host/path` too.
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]+/i, '');
  const mark = target.indexOf('?');
  return {
    method,
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: headers as RelayRequest['headers'],
    body,
  };
}
