import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { maxBodyBytes, type RelayRequest, type RelayResponse } from '@form-relay/core/http/request';
import { type Admission, overloaded, uploadsBusy } from '@form-relay/core/http/resolve';
import { encoded } from '../encoded.ts';
import {
  atEndOfTurn,
  type Body,
  type BodyReading,
  type BodyRoom,
  Reading,
  tooLong,
  type WorkAtEnd,
} from './body_reader.ts';
import { timeLeftMs } from './closing.ts';
import { type Connection, keptSeconds } from './connections.ts';
import type { ServerHandle } from './server.ts';
import type { ReadUpload } from './upload_reader.ts';

export interface ServingContext {
  readonly handle: ServerHandle;
  /** The server is closing while it does not listen. */
  readonly server: Server;
  readonly room: BodyRoom;
  readonly readUpload: ReadUpload | undefined;
  /** The answer to an invalid request. */
  readonly refuse: (socket: Duplex, code?: string) => RelayResponse;
  /** Logs a bug of a plug-in. */
  readonly fail: (error: unknown) => void;
  /** Ends a connection after its last byte was written. */
  readonly linger: (connection: Connection) => void;
  /** Ends a connection after this answer, even if the client sends more. */
  readonly lingerAfter: (outgoing: ServerResponse, connection: Connection) => void;
}

/** An answer to write. A stream body is written as it arrives. Once the client closes its sending side, it counts as gone. */
export interface ServerAnswer extends Pick<RelayResponse, 'status'> {
  readonly isFixed?: true;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array | Readable;
}

/** A request, from its head to its answer. Uses a class, because a closure per step would take more memory. */
export class Serving implements WorkAtEnd {
  nextAtEnd: WorkAtEnd | undefined;
  readonly incoming: IncomingMessage;
  readonly connection: Connection;
  /** Whether the client waits for permission to send the body. */
  readonly isAsking: boolean;
  /** The length of the body, if the head declares it. */
  readonly declaredBytes: number | undefined;
  readonly mostBytes: number;
  /** Whether the answer depends on the body. */
  readonly isWanted: boolean;
  /**
   * The request is answered before its body is read. The body is then discarded, so that the client can read
   * the answer and reuse the connection.
   */
  readonly isAnsweredFirst: boolean;
  readonly #outgoing: ServerResponse;
  /** The number of the request on its connection, from 1. */
  readonly #number: number;
  readonly #isRequest: boolean;
  readonly #request: { -readonly [K in keyof RelayRequest]: RelayRequest[K] };
  readonly #admission: Admission | undefined;
  /** Whether the body may have files: the limit is higher, and the declared length is not small. */
  readonly #isUpload: boolean;
  #isPermitted: boolean;
  #isStopped = false;
  /** An answer that is sent at the end of the turn. */
  #answer: ServerAnswer | undefined;
  /** Sends an answer that waits for the end of the body. */
  #sendLast: (() => void) | undefined;

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    connection: Connection,
    isAsking: boolean,
    private readonly context: ServingContext,
  ) {
    this.incoming = incoming;
    this.connection = connection;
    this.isAsking = isAsking;
    this.#outgoing = outgoing;
    this.#number = connection.requests;
    this.#isRequest = isSound(incoming) && isReadable(incoming);
    this.#request = toRequest(incoming, connection.peerAddress);
    this.#admission = this.#isRequest ? context.handle.admit?.(this.#request) : undefined;
    this.isWanted = this.#isRequest && !this.#admission?.refusal;
    this.isAnsweredFirst = this.#isRequest && !this.isWanted;
    this.mostBytes = this.#admission?.bodyLimit ?? maxBodyBytes;
    const length = incoming.headers['content-length'];
    this.declaredBytes = length === undefined ? undefined : Number(length);
    this.#isUpload =
      context.readUpload !== undefined &&
      this.mostBytes > maxBodyBytes &&
      (this.declaredBytes ?? Infinity) > maxBodyBytes;
    this.#isPermitted = !isAsking;
  }

  begin(): void {
    const { room, readUpload, server } = this.context;
    if (!readUpload || !this.#isUpload) {
      new Reading(this, room).begin();
      return;
    }
    const { incoming } = this;
    incoming.once('end', () => {
      // The request was answered before the server began to close, so its connection would stay open until all connections are cut.
      if (this.#outgoing.headersSent && !server.listening) incoming.socket.destroySoon();
    });
    readUpload(this);
  }

  /** Permits the client to send the body. */
  permit(): void {
    this.#isPermitted = true;
    this.#outgoing.writeContinue();
  }

  /** Stops reading the body, and ends the connection after the answer. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    // `lingerAfter` resumes reading after the answer.
    this.incoming.pause();
    this.#sendLast?.();
    this.context.lingerAfter(this.#outgoing, this.connection);
  }

  /** Called once, or never if the client disconnects: then there is nothing to answer or relay. */
  take(body: Body, reading: BodyReading): void {
    const { incoming, connection } = this;
    const outgoing = this.#outgoing;
    if (this.#number > connection.lastRequest || outgoing.headersSent) {
      reading.release();
      return;
    }
    // After an early answer, the rest of the body is read. A client without permission may never send it.
    const mayGoOn =
      this.isAnsweredFirst || this.#isUpload ? this.#isPermitted : incoming.complete && body !== tooLong;
    if (!this.#isRequest || !mayGoOn) {
      connection.lastRequest = this.#number;
      outgoing.setHeader('connection', 'close');
    }
    if (this.#isRequest) this.#handle(body, reading);
    else this.#send(this.context.refuse(incoming.socket, isReadable(incoming) ? undefined : unknownCoding));
  }

  #handle(body: Body, reading: BodyReading): void {
    const request = this.#request;
    if (typeof body !== 'string') request.body = body;
    if (body === tooLong) request.isTooLong = true;
    if (body === 'no_room' && this.#admission)
      this.#admission.refusal = this.#isUpload ? uploadsBusy : overloaded;
    const { server } = this.context;
    if (!server.listening) request.timeLeftMs = timeLeftMs(server);
    void this.context.handle(request, this.#admission).then((answer) => {
      reading.release();
      if (answer.isFixed) {
        void encoded(answer as RelayResponse, request.headers['accept-encoding']).then((one) =>
          this.#send(one),
        );
      } else if (this.incoming.complete) {
        this.#answer = answer;
        atEndOfTurn(this);
      }
      // Sends the answer before more of the body arrives.
      else this.#send(answer);
    });
  }

  doAtEnd(): void {
    if (this.#answer) this.#send(this.#answer);
  }

  #send(answer: ServerAnswer): void {
    const { incoming, connection } = this;
    const { server, linger } = this.context;
    const outgoing = this.#outgoing;
    // The server has already refused invalid HTTP that followed a body that was too long.
    if (outgoing.headersSent) return;
    // Bun's `shouldKeepAlive` ignores the client's `Connection: close`.
    const isLast =
      !server.listening || !outgoing.shouldKeepAlive || /\bclose\b/i.test(incoming.headers.connection ?? '');
    // An upload gets more time than a lingering connection.
    if (isLast && this.#isUpload && this.#isPermitted && !incoming.complete && !this.#isStopped) {
      this.#sendLast = () => this.#send(answer);
      incoming.once('end', this.#sendLast);
      return;
    }
    if (this.#isStopped) outgoing.setHeader('connection', 'close');
    else if (!server.listening) this.#endAfterAll();
    if (!incoming.complete || this.#number === connection.lastRequest) {
      connection.socket.destroySoon = () => linger(connection);
    }
    try {
      write(outgoing, answer);
    } catch (error) {
      // Node rejects an invalid header from a plug-in. Without an answer, the client tries again.
      this.context.fail(error);
      incoming.socket.destroy();
    }
  }

  /** While the server closes, it answers requests that have arrived, and ignores later ones. */
  #endAfterAll(): void {
    const { requests, answer, lastRequest } = this.connection;
    this.connection.lastRequest = Math.min(lastRequest, requests);
    if (this.#number === this.connection.lastRequest) this.#outgoing.setHeader('connection', 'close');
    // The last answer has been sent, without `Connection: close`.
    else if (answer?.headersSent) this.context.lingerAfter(answer, this.connection);
  }
}

/** A request whose body has not been read yet. */
function toRequest(
  { method = '', url = '', headers }: IncomingMessage,
  peerAddress: string | undefined,
): RelayRequest {
  // RFC 9112, 3.2.2: a server must also accept `POST http://host/path`.
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]+/i, '');
  const mark = target.indexOf('?');
  return {
    method,
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: headers as RelayRequest['headers'],
    body: undefined,
    peerAddress,
    livesOn: true,
  };
}

/**
 * Node also accepts other HTTP versions, and several Host headers, of which the relay and its proxy might
 * each trust a different one. HTTP/1.1 requires exactly one (RFC 9112, 3.2).
 */
function isSound({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts += 1;
  }
  return httpVersion === '1.1' ? hosts === 1 : httpVersion === '1.0' && hosts <= 1;
}

/** The code for a refused transfer coding. */
export const unknownCoding = 'unknown_coding';

/** Node decodes chunks, but leaves other transfer codings in the body (RFC 9112, 6.1). */
const isReadable = ({ headers: { 'transfer-encoding': codings = 'chunked' } }: IncomingMessage): boolean =>
  codings.toLowerCase() === 'chunked';

/** Node itself writes this header only if its timer for idle connections is on. */
const keepAlive = `timeout=${keptSeconds}`;

/** Writes the answer at once, unless the body is a stream. */
export function write(outgoing: ServerResponse, { status, headers, body }: ServerAnswer): void {
  // The Content-Length of an answer to HEAD, or of a 304, must be that of the answer to GET, or missing (RFC 9110, 8.6).
  const hasBody = status !== 204 && status !== 304 && outgoing.req.method !== 'HEAD';
  const isStream = typeof body !== 'string' && !(body instanceof Uint8Array);
  const length = isStream ? 0 : Buffer.byteLength(body);
  const isAscii = !isStream && length === body.length;
  const namesAndValues = hasBody && !isStream ? ['content-length', String(length)] : [];
  for (const name in headers) namesAndValues.push(name, headers[name] as string);
  const isLast = !outgoing.shouldKeepAlive || outgoing.hasHeader('connection') || headers.connection;
  if (!isLast) namesAndValues.push('keep-alive', keepAlive);
  outgoing.writeHead(status, namesAndValues);
  if (isStream) {
    stream(outgoing, body, hasBody);
    return;
  }
  if (hasBody && length > 0) {
    const { socket } = outgoing;
    // Otherwise Node would cork the socket itself, and write a list that includes the empty piece of `end`, which takes longer.
    socket?.cork();
    outgoing.write(body, isAscii ? 'latin1' : 'utf8');
    socket?.uncork();
  }
  outgoing.end();
}

function stream(outgoing: ServerResponse, body: Readable, hasBody: boolean): void {
  const { socket } = outgoing.req;
  const leave = () => void outgoing.destroy();
  socket.once('end', leave);
  outgoing.once('close', () => {
    socket.off('end', leave);
    body.destroy();
  });
  if (!hasBody) outgoing.end();
  else if (socket.readableEnded || outgoing.destroyed) outgoing.destroy();
  else {
    outgoing.flushHeaders();
    // A stream that breaks off must not look complete.
    writePieces(outgoing, body).catch(leave);
  }
  if (outgoing.destroyed) body.destroy();
}

/** The server's timeout is for clients that read nothing: each piece, even an empty one, shows that the body continues. */
async function writePieces(outgoing: ServerResponse, body: Readable): Promise<void> {
  const { socket } = outgoing.req;
  for await (const piece of body as AsyncIterable<string | Uint8Array>) {
    socket.setTimeout(socket.timeout ?? 0);
    if (piece.length === 0 || outgoing.write(piece) || outgoing.destroyed) continue;
    await new Promise<void>((resolve) => {
      const goOn = () => {
        outgoing.off('drain', goOn).off('close', goOn);
        resolve();
      };
      outgoing.on('drain', goOn).on('close', goOn);
    });
  }
  outgoing.end();
}
