import type { Agent, ClientRequest, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { ClientError } from '@form-relay/core/base/client_error';
import { Bytes } from '@form-relay/core/http/bytes';
import type { BytesAnswer, BytesClient, BytesRequest, HttpClient } from '@form-relay/core/services';
import { type Awaited, failed } from '../failures.ts';
import { connectionFailure, connectOptions } from '../socket.ts';
import { decoded } from './content_coding.ts';
import {
  afterNextPoll,
  afterRedirect,
  bodyLimitBytes,
  EagerServers,
  framingLimitBytes,
  headerLine,
  headLimitBytes,
  joinedHeaders,
  mostInterim,
  uncoded,
  unsolicitedResponse,
  writePieces,
} from './protocol.ts';

/**
 * HTTP over Node's own client, for AWS Lambda, where a visitor waits for each cold start. It makes the same
 * promises as the server's client. Nothing is ever sent twice.
 */
export function createNodeHttp(now: () => number): BytesClient {
  const lines = new Map<string, Line>();
  return async (request) => {
    const { protocol } = request.url;
    const line = lines.get(protocol) ?? openLine(protocol, now);
    lines.set(protocol, line);
    await line.dropDead();
    return exchange(request, line);
  };
}

interface Line {
  /** Returns what makes and keeps the connections for this address. */
  agentFor(url: URL): Agent;
  readonly send: (url: URL, options: RequestOptions) => ClientRequest;
  /** Resolves when a request may be written. Hangs up on a server that speaks before. */
  ready(socket: Socket, origin: string): Promise<void>;
  /** Closes idle connections that the other side has closed, or may have. */
  dropDead(): Promise<void>;
}

/** Servers close idle connections after 5 s or more, so a connection idle for less can be trusted. */
const trustedRestMs = 4_000;

function openLine(protocol: string, now: () => number): Line {
  // Loaded when first used: with TLS, a cold start takes 2 ms and up to 3 MB more.
  const isSecure = protocol === 'https:';
  const node = isSecure ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
  const keeping = new node.Agent({ keepAlive: true, ...connectOptions });
  const closing = new node.Agent(connectOptions);
  const eager = new EagerServers();
  const rests = new WeakMap<Socket, { since: number; readonly onUnasked: () => void }>();
  const resting = () => Object.values(keeping.freeSockets).flatMap((sockets = []) => sockets);
  keeping.on('free', (socket: Socket) => {
    const rest = rests.get(socket);
    if (rest === undefined) return;
    rest.since = now();
    socket.on('data', rest.onUnasked);
  });
  return {
    agentFor: ({ origin }) => (eager.has(origin) ? closing : keeping),
    send: node.request,
    async ready(socket, origin) {
      const rest = rests.get(socket);
      if (rest !== undefined) return void socket.off('data', rest.onUnasked);
      const onUnasked = () => {
        eager.add(origin);
        socket.destroy(unsolicitedResponse());
      };
      rests.set(socket, { since: 0, onUnasked });
      socket.on('data', onUnasked);
      await new Promise((resolve) => socket.once(isSecure ? 'secureConnect' : 'connect', resolve));
      await new Promise<void>((goOn) => eager.afterUnsolicited(origin, goOn));
      socket.off('data', onUnasked);
    },
    async dropDead() {
      if (resting().length === 0) return;
      // A Lambda function that was frozen reads only now what arrived meanwhile.
      await new Promise<void>(afterNextPoll);
      for (const socket of resting()) {
        const restedMs = now() - (rests.get(socket)?.since ?? 0);
        if (socket.readableEnded || restedMs > trustedRestMs) socket.destroy();
      }
    },
  };
}

function exchange(request: BytesRequest, { agentFor, send, ready }: Line): Promise<BytesAnswer> {
  const { method, url, body, streamed, timeoutMs, limitBytes, isStatusEnough = false } = request;
  return new Promise((resolve, reject) => {
    // Node would write a text together with the headers, and both as UTF-8.
    const bytes = Buffer.from(body);
    const length = method === 'GET' ? {} : { 'content-length': streamed?.byteLength ?? bytes.length };
    const outgoing = send(url, {
      method,
      agent: agentFor(url),
      headers: { ...uncoded, ...request.headers, ...length },
      maxHeaderSize: headLimitBytes,
      // Node's strict parser refuses folded headers, which a client has to read (RFC 9112, 5.2).
      insecureHTTPParser: true,
    });
    let isAsked = false;
    let isSent = false;
    let giveUp: (error: ClientError) => void = reject;
    const timer = setTimeout(() => {
      giveUp(failed('timed_out', { timeoutMs }));
      outgoing.destroy();
    }, timeoutMs);
    const fail = (error: Error, before: Awaited) => {
      clearTimeout(timer);
      giveUp(error instanceof ClientError ? error : connectionFailure(error, before));
    };
    const refuse = (error: ClientError) => {
      clearTimeout(timer);
      reject(error);
      outgoing.destroy();
    };
    let readEnough = () => refuse(failed('headers_too_long'));
    outgoing.on('error', (error) => fail(error, 'answer'));
    outgoing.on('socket', async (socket) => {
      await ready(socket, url.origin);
      isAsked = true;
      const most = socket.bytesRead + limitBytes + framingLimitBytes;
      const count = () => {
        if (socket.bytesRead > most) readEnough();
      };
      socket.on('data', count);
      outgoing.once('close', () => socket.off('data', count));
      const end = (last?: Uint8Array) => {
        isSent = true;
        outgoing.end(last);
      };
      if (streamed) writePieces(streamed, outgoing, end);
      else end(method === 'GET' ? undefined : bytes);
    });
    // Without this listener, Node closes the connection and reports nothing.
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      refuse(failed('unexpected_1xx'));
    });
    let interim = 0;
    outgoing.on('information', () => {
      interim += 1;
      if (interim > mostInterim) refuse(failed('too_many_1xx', { most: mostInterim }));
    });
    outgoing.on('response', (incoming) => {
      if (!isAsked) return refuse(unsolicitedResponse());
      const isEarly = !isSent;
      const { statusCode: status = 0, rawHeaders } = incoming;
      const headers = joinedHeaders(rawHeaders);
      // Two lengths, as in response smuggling (RFC 9112, 6.3).
      if ('content-length' in headers && 'transfer-encoding' in headers) return refuse(failed('not_http'));
      const read = new Bytes();
      const finish = (isCut: boolean) => {
        clearTimeout(timer);
        const body = read.all.subarray(0, limitBytes);
        const answer = { status, headers, body, isCut, isEarly };
        resolve(decoded(answer, limitBytes));
        if (isEarly) outgoing.destroy();
      };
      if (isStatusEnough) giveUp = () => finish(true);
      readEnough = () => {
        finish(true);
        outgoing.destroy();
      };
      incoming.on('data', (chunk: Buffer) => {
        read.add(chunk);
        if (read.length > limitBytes) readEnough();
      });
      incoming.on('end', () => finish(false));
      incoming.on('error', (error) => fail(error, 'end_of_answer'));
    });
  });
}

/** The client for outputs and captchas. */
export const createNodeHttpClient = (now: () => number): HttpClient =>
  httpClientOver(createNodeHttp(now), true);

/**
 * The same over another way to send one request.
 *
 * @param canResolve Whether the platform lets the relay resolve names.
 */
export function httpClientOver(send: BytesClient, canResolve = false): HttpClient {
  return async (request) => {
    const guarded = request.redirectedFrom ? await afterRedirect(request, canResolve) : request;
    const { method = 'POST', url, headers, body, streamed, timeoutMs } = guarded;
    for (const name in headers) headerLine(name, headers[name] as string);
    const limits = { timeoutMs, limitBytes: bodyLimitBytes, isStatusEnough: true };
    const answer = await send({ method, url, headers, body, streamed, ...limits });
    return { ...answer, body: answer.body.toString('utf8') };
  };
}
