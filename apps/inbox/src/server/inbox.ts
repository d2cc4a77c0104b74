import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Proxies, readClient } from '@form-relay/base/client';
import { ClientError } from '@form-relay/base/client_error';
import { clientNetwork } from '@form-relay/base/networks';
import type { Progress } from '../api.ts';
import { AuditFailed, isAnswer, type Person } from '../gate.ts';
import { type Beyond, createShares, type Kind } from './about.ts';
import {
  type Answer,
  assetAnswer,
  type Request,
  readBody,
  refusalOf,
  refuse,
  strictHeaders,
} from './answer.ts';
import { createDocuments } from './documents.ts';
import { createEvents } from './events.ts';
import type { InboxOptions } from './options.ts';
import { type Api, answerApi, type Body } from './routes.ts';

/** The inbox's answers to requests of a `node:http` server. */
export interface Inbox {
  handle(incoming: IncomingMessage, outgoing: ServerResponse): void;
  /** Ends the streams of events. The index stays the caller's. */
  close(): void;
}

/** Answers with a file, and actions that read all files of a submission. */
const holdsFiles = /^\/api\/entries\/[^/]+\/(?:files|again$|restore$)/;
/** How long a client may take for the next piece of an export. */
const patienceMs = 60_000;

export function createInbox(options: InboxOptions): Inbox {
  const events = createEvents(options);
  let progress: Progress | undefined;
  const stop = options.index.onProgress((now) => {
    progress = now;
  });
  const api: Api = {
    options,
    documents: createDocuments(options.sources, options.unseal),
    progress: () => progress,
  };
  const shares = createShares(Date.now, (person, limit) => {
    // Refusing must not wait for the disk; a log that cannot be written is in the owner's log.
    options.audit?.(person, 'limited', { limit }).catch(() => {});
  });

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = requestOf(incoming);
    const refusal = refusalOf(request, options.isOwnHost);
    if (refusal) return write(incoming, outgoing, refusal);
    const person = await options.person(request);
    if (isAnswer(person)) return write(incoming, outgoing, person);
    const kind = kindOf(request);
    const leave = await shares.enter(person, kind);
    if (typeof leave === 'string') return write(incoming, outgoing, tooMuch(leave));
    if (outgoing.destroyed) return leave();
    if (kind === 'streams') {
      // A look is no use of a session, which an open page would keep from ending.
      const isStill = async () => person.isStill?.() ?? !isAnswer(await options.person(request));
      return events.open(incoming, outgoing, person, isStill, leave);
    }
    try {
      await write(incoming, outgoing, await answer(request, person, incoming));
    } finally {
      leave();
    }
  }

  async function answer(request: Request, person: Person, incoming: IncomingMessage): Promise<Answer> {
    const { method, path } = request;
    if (path.startsWith('/api/')) {
      let body: Body = {};
      if (method === 'POST') {
        const read = await readBody(incoming);
        if (!read.ok) return read.error;
        body = read.value;
      }
      return answerApi(api, { request, person, body });
    }
    if (method !== 'GET' && method !== 'HEAD') return refuse(405, 'only GET is answered here');
    return assetAnswer(path, options.asset);
  }

  return {
    handle(incoming, outgoing) {
      serve(incoming, outgoing).catch((error: unknown) => {
        const expected = statusOf(error);
        if (!expected && !isGone(error)) options.broken(error);
        if (outgoing.headersSent) {
          // A download that is cut short must not look whole.
          outgoing.destroy();
          return;
        }
        const words = expected
          ? (error as Error).message
          : 'something went wrong; the terminal of the inbox says what';
        void write(incoming, outgoing, refuse(expected ?? 500, words)).catch(() => outgoing.destroy());
      });
    },
    close() {
      stop();
      events.close();
    },
  };
}

function kindOf({ method, path }: Request): Kind {
  if (method === 'GET' && path === '/api/events') return 'streams';
  if (path === '/api/export' || path === '/api/person/export') return 'exports';
  return holdsFiles.test(path) ? 'files' : 'requests';
}

const tooMuch = (limit: Beyond): Answer => ({
  ...refuse(limit === 'all' ? 503 : 429, beyondWords[limit]),
  headers: { 'content-type': 'application/json; charset=utf-8', 'retry-after': '2' },
});

const beyondWords: Readonly<Record<Beyond, string>> = {
  streams: 'you have too many pages of this inbox open; close some',
  exports: 'you are downloading already; try again when that is done',
  files: 'you ask for too many files at once; try again in a moment',
  requests: 'you ask for too much at once; try again in a moment',
  pace: 'you have made too many requests; try again in a minute',
  all: 'the inbox is busy; try again in a moment',
};

function requestOf({ method = '', url = '', headers, socket }: IncomingMessage): Request {
  const [path = '', ...query] = url.split('?');
  return {
    method,
    path,
    query: query.join('?'),
    // Only `set-cookie` would be a list, and no client sends it.
    headers: headers as Request['headers'],
    peerAddress: socket.remoteAddress,
  };
}

/** The status of an error that tells people in words what failed. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof AuditFailed) return 503;
  return error instanceof ClientError ? 502 : undefined;
}

/** The client went away. */
const isGone = (error: unknown) =>
  ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as NodeJS.ErrnoException).code ?? '');

async function write(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers, body }: Answer,
): Promise<void> {
  const all: Record<string, string | string[]> = { ...strictHeaders };
  for (const [name, value] of Object.entries(headers))
    all[name] = typeof value === 'string' ? value : [...value];
  // An unread body must not be taken for the next request.
  if (!incoming.complete) all.connection = 'close';
  const isHead = incoming.method === 'HEAD';
  if (typeof body === 'string' || body instanceof Uint8Array) {
    all['content-length'] = String(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength);
    outgoing.writeHead(status, all);
    outgoing.end(isHead ? undefined : body);
    if (body.length > 65_536 && !outgoing.destroyed) await once(outgoing, 'close');
    return;
  }
  outgoing.writeHead(status, all);
  if (isHead) return void outgoing.end();
  outgoing.flushHeaders();
  // The first line of a table comes after everything was read once.
  incoming.socket.setTimeout(0);
  for await (const piece of body) {
    if (outgoing.destroyed) return;
    if (piece !== '' && !outgoing.write(piece)) await drained(outgoing);
  }
  outgoing.end();
}

/** Waits for a client that reads slowly, and cuts one that does not read. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), patienceMs);
    const end = () => {
      clearTimeout(timer);
      outgoing.off('drain', end).off('close', end);
      resolve();
    };
    outgoing.on('drain', end).on('close', end);
  });
}

/** A page needs six connections, and a team has many pages open. */
const mostConnections = 1_024;

/** An office behind one address has many pages open. Proxies are no clients. */
const mostOfClient = 128;

/** `node:http` with limits for slow and greedy clients. @param proxies Absent: only this machine can connect. */
export function createInboxServer(handle: Inbox['handle'], proxies?: Proxies): Server {
  const server = createServer({
    headersTimeout: 5_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 5_000,
    maxHeaderSize: 16_384,
    // The inbox answers in its own words.
    requireHostHeader: false,
  });
  server.timeout = 60_000;
  server.maxConnections = mostConnections;
  server.maxRequestsPerSocket = 1_000;
  server.on('request', handle);
  if (proxies) limitClients(server, proxies);
  return server;
}

/** Closes connections of a client that has too many. */
function limitClients(server: Server, proxies: Proxies): void {
  const openOf = new Map<string, number>();
  server.on('connection', (socket) => {
    const client = readClient({ headers: {}, peerAddress: socket.remoteAddress }, proxies);
    if (!('address' in client)) return;
    const name = clientNetwork(client.address);
    const open = (openOf.get(name) ?? 0) + 1;
    openOf.set(name, open);
    socket.on('close', () => {
      const left = (openOf.get(name) ?? 1) - 1;
      if (left > 0) openOf.set(name, left);
      else openOf.delete(name);
    });
    if (open > mostOfClient) socket.destroy();
  });
}
