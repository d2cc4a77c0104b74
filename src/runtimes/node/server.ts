import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../../effects.ts';
import { maxBodyBytes, type RelayResponse } from '../../http.ts';
import type { TellLevel } from '../../metrics/metrics.ts';
import { onceASecond } from '../../once_a_second.ts';
import { readSettings, type Settings } from '../../settings/settings.ts';
import { noRoom, noRoomForFiles } from '../../street/admission.ts';
import type { Handle } from '../../street/app.ts';
import { type Encoded, encoded } from '../encoded.ts';
import { createBodyReader, tooLong } from './body_reader.ts';
import { createCollector } from './collector.ts';
import { type Connection, trackConnections } from './connections.ts';
import { createLingering } from './lingering.ts';
import { onTheWire, type Refusal, refusalAnswer, refusalOf } from './refusal.ts';
import { isSound, toRequestHead, withBody } from './request_head.ts';
import { createUploadReader, isUpload } from './upload_reader.ts';

export interface NodeServerOptions {
  /** Gets at most one line a second about refusals of what is not a request. No line holds what was sent. */
  readonly log?: Log;
  /** Default: those of an empty environment. */
  readonly limits?: Pick<Settings, 'connectionLimit' | 'clientConnectionLimit' | 'bodyBytesLimit'>;
  /** Gets how many connections and bytes there are, against their limits; `level` of `createMetrics`. */
  readonly level?: TellLevel | undefined;
  /** Answers a request itself and returns `true`, or leaves it to `handle`: for answers that never end. */
  readonly stream?: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;
}

/** The relay on `node:http`. The caller listens; `closeServer` ends it. */
export function createNodeServer(handle: Handle, options: NodeServerOptions = {}): Server {
  const { log, limits = readSettings({}), level, stream } = options;
  const server = createServer({
    headersTimeout: 10_000,
    // Looked at every second: no slow sender keeps its place for more than 15 s.
    requestTimeout: 14_000,
    connectionsCheckingInterval: 1_000,
    // `isSound` sees to it, and the answer is JSON.
    requireHostHeader: false,
    // Longer than load balancers keep theirs, so that they never send on a connection that is just being closed.
    keepAliveTimeout: 65_000,
  });
  // For clients that do not read their answers. A delivery may take 25 s.
  server.timeout = 30_000;
  // Their size has a limit. Beyond 2,000, Node would overlook them silently.
  server.maxHeadersCount = 0;
  // A client that says that it sends no more still gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true });

  const now = () => performance.now();
  const logRefused = onceASecond(now, (requests, refusal: Pick<Refusal, 'reason'>) =>
    log?.('info', 'refused', { ...refusal, requests }),
  );
  const logLimit = (name: string, limit: number) =>
    onceASecond(now, (times) => log?.('warn', 'limit_reached', { name, limit, times }));
  const connections = trackConnections(server, limits, logLimit);
  const { readBody, heldBytes } = createBodyReader(
    limits.bodyBytesLimit,
    logLimit('BODY_BYTES_LIMIT', limits.bodyBytesLimit),
  );
  level?.('connections', connections.open, connections.limit);
  level?.('body_bytes', heldBytes, limits.bodyBytesLimit);
  const collector = createCollector();
  const linger = createLingering(connections, collector, () => !server.listening);
  const readUpload =
    handle.uploads &&
    createUploadReader({
      room: handle.uploads,
      collector,
      now,
      silentMs: () => server.requestTimeout,
      cut: ({ incoming }) => endWith(incoming.socket, requestTimeout),
    });

  const refuse = (socket: Duplex, code?: string): RelayResponse => {
    const refusal = refusalOf(code);
    // Browsers connect before they have something to ask.
    if ((socket as Socket).bytesRead > 0) logRefused(refusal);
    return refusalAnswer(refusal);
  };

  /** Ends a connection after this answer, while more may come on it. */
  const lingerAfter = (outgoing: ServerResponse, connection: Connection) => {
    // What comes in one piece with the end of a body is parsed, too, and would be relayed without an answer.
    connection.lastRequest = Math.min(connection.lastRequest, connection.requests);
    const end = () => linger(connection);
    // Node calls it where the answer is the last of its connection.
    connection.socket.destroySoon = end;
    if (outgoing.writableFinished) end();
    else outgoing.once('close', end);
  };

  /** The server ends: what came on the connection by now is answered, and nothing that comes later is taken. */
  const endAfterAll = (outgoing: ServerResponse, number: number, connection: Connection) => {
    const { requests, answer } = connection;
    connection.lastRequest = Math.min(connection.lastRequest, requests);
    if (number === connection.lastRequest) outgoing.setHeader('connection', 'close');
    // It was done before those that it waits for, and says nothing of an end.
    else if (answer?.headersSent) lingerAfter(answer, connection);
  };

  const serve = (incoming: IncomingMessage, outgoing: ServerResponse, isAsking = false) => {
    if (stream?.(incoming, outgoing)) return;
    const connection = connections.use(incoming.socket, outgoing);
    const number = connection.requests;
    // After an answer with `Connection: close`, nothing on the connection is a request (RFC 9112, 9.6).
    if (number > connection.lastRequest) return;
    if (isBeyondPipeline(outgoing, connection)) {
      connection.lastRequest = number;
      logRefused(tooManyAtOnce);
      // To wait until its answers are read would keep all that it has asked meanwhile, a thousand requests in 64 KB.
      incoming.socket.destroy();
      return;
    }
    // Node's parser drops what comes in one piece with the end of such a request, so its answer is the last.
    if (incoming.headers.upgrade !== undefined) {
      connection.lastRequest = number;
      outgoing.shouldKeepAlive = false;
    }
    const isRequest = isSound(incoming);
    const head = toRequestHead(incoming);
    const admission = isRequest ? handle.admit?.(head) : undefined;
    const isWanted = isRequest && (admission?.kind ?? 'admitted') === 'admitted';
    /** Its body, if it comes, is read and forgotten, so that the sender can read the answer and go on. */
    const isAnsweredFirst = isRequest && !isWanted;
    const mostBytes = admission?.bodyLimit ?? maxBodyBytes;
    let isPermitted = !isAsking;
    const permit = () => {
      isPermitted = true;
      outgoing.writeContinue();
    };
    let isStopped = false;
    let sendLast = () => {};
    const stop = () => {
      if (isStopped) return;
      isStopped = true;
      // Read on when it is answered, and then ended.
      incoming.pause();
      sendLast();
      lingerAfter(outgoing, connection);
    };
    const send = (answer: Encoded) => {
      // Its body was too long, and then no HTTP: `endWith` has answered meanwhile.
      if (outgoing.headersSent) return;
      const isLast = !server.listening || !outgoing.shouldKeepAlive;
      // A body with files has more time than a connection that lingers.
      if (isLast && upload && isPermitted && !incoming.complete && !isStopped) {
        sendLast = () => send(answer);
        incoming.once('end', sendLast);
        return;
      }
      if (isStopped) outgoing.setHeader('connection', 'close');
      else if (!server.listening) endAfterAll(outgoing, number, connection);
      if (!incoming.complete || number === connection.lastRequest) {
        connection.socket.destroySoon = () => linger(connection);
      }
      write(outgoing, answer);
    };
    const body = {
      incoming,
      connection,
      mostBytes,
      isWanted,
      isAnsweredFirst,
      permit: isAsking ? permit : undefined,
      stop,
    };
    const upload = mostBytes > maxBodyBytes && isUpload(body) ? readUpload : undefined;
    if (upload) {
      incoming.once('end', () => {
        // It was answered before the end began, and would rest now until all is cut.
        if (outgoing.headersSent && !server.listening) incoming.socket.destroySoon();
      });
    }
    (upload ?? readBody)(body, (body, release) => {
      if (number > connection.lastRequest || outgoing.headersSent) return release();
      // What is left of a body is read where its answer comes first. But whoever asked for permission to send one may
      // send none now.
      const mayGoOn = isAnsweredFirst || upload ? isPermitted : incoming.complete && body !== tooLong;
      if (!isRequest || !mayGoOn) {
        connection.lastRequest = number;
        outgoing.setHeader('connection', 'close');
      }
      if (!isRequest) return send(refuse(incoming.socket));
      const request = withBody(head, typeof body === 'string' ? undefined : body, connection.peerAddress);
      const noPlace = upload ? noRoomForFiles : noRoom;
      const answering =
        body === tooLong
          ? handle({ ...request, isTooLong: true }, admission)
          : handle(request, body === 'no_room' ? noPlace : admission);
      void answering.then(async (answer) => {
        release();
        // Without waiting, where there is nothing to wait for.
        send(answer.isFixed ? await encoded(answer, head.headers['accept-encoding']) : answer);
      });
    });
  };
  server.on('request', (incoming, outgoing) => serve(incoming, outgoing));
  // A client that asks before it sends a body that is too long gets its answer instead of permission.
  server.on('checkContinue', (incoming, outgoing) => serve(incoming, outgoing, true));
  // An expectation that nobody knows may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (incoming, outgoing) => serve(incoming, outgoing));

  /** Answers what Node made no request of, and cuts the connection. */
  const endWith = (socket: Duplex, code?: string) => {
    const connection = connections.get(socket);
    // Node says it again of each piece that comes.
    if (!connection || connection.isEnding) return;
    connection.isEnding = true;
    const last = connection.answer;
    if (last && !last.writableFinished && socket.writable) {
      // What came before is answered first, or this refusal would pass for its answer.
      lingerAfter(last, connection);
      if (last.req.complete) return;
      if (!last.headersSent) write(last, refuse(socket, code));
      connection.giveUp?.();
      return;
    }
    // A request that ends too early was answered already, and gets no second answer.
    const isAnswered = last?.req.complete === false;
    if (socket.writable && !isAnswered) socket.write(onTheWire(refuse(socket, code)));
    linger(connection);
  };
  // Node's parser says nothing of an upgrade that ends in the middle of its body.
  server.on('connection', (socket) => {
    socket.once('end', () => {
      if (connections.get(socket)?.answer?.req.complete === false) endWith(socket);
    });
  });
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    // Files may take longer. Node says it once a request.
    if (code === requestTimeout && connections.get(socket)?.mayGoOn?.()) return;
    endWith(socket, code);
  });
  // Without this, Node cuts the connection, and with it the answers that are under way.
  server.on('connect', (_incoming, socket) => {
    socket.on('error', () => undefined);
    endWith(socket);
  });
  return server;
}

const requestTimeout = 'ERR_HTTP_REQUEST_TIMEOUT';

/** More requests than anybody sends at once on one connection, without reading the answers. */
const mostPipelined = 32;

const tooManyAtOnce = { reason: 'too many requests at once on one connection' };

/** Answers that nobody reads are kept in memory: only so many requests may wait behind them (D62). */
function isBeyondPipeline(outgoing: ServerResponse, connection: Connection): boolean {
  // It has the connection as soon as the answers before it are out.
  if (outgoing.socket !== null) return false;
  connection.pipelined += 1;
  outgoing.once('close', () => {
    connection.pipelined -= 1;
  });
  return connection.pipelined > mostPipelined;
}

function write(outgoing: ServerResponse, { status, headers, body }: Encoded): void {
  const namesAndValues: string[] = [];
  for (const name in headers) namesAndValues.push(name, headers[name] as string);
  // An answer to HEAD, or a 304, would have to give the length of the body that GET gets, or none (RFC 9110, 8.6).
  const hasLength = status !== 204 && status !== 304 && outgoing.req.method !== 'HEAD';
  if (hasLength) namesAndValues.push('content-length', String(Buffer.byteLength(body)));
  outgoing.writeHead(status, namesAndValues);
  outgoing.end(body);
}
