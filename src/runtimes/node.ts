import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Handle } from '../app.ts';
import { maxBodyBytes, type RelayRequest, type RelayResponse } from '../http.ts';

/** How much of a refused body is still read, so that its sender gets the answer instead of a reset connection (D2). */
const drainBytes = 1_048_576;

/** The relay on `node:http`. The caller listens and closes. */
export function createNodeServer(handle: Handle): Server {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
    },
    (incoming, outgoing) => serve(handle, incoming, outgoing),
  );
  // A client that waits for permission to send too much is told right away.
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (Number(incoming.headers['content-length']) <= maxBodyBytes) outgoing.writeContinue();
    serve(handle, incoming, outgoing);
  });
  return server;
}

function serve(handle: Handle, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let isAnswered = false;

  const answer = () => {
    isAnswered = true;
    const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    void handle(toRelayRequest(incoming, body)).then((response) => send(outgoing, response));
  };
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBodyBytes) {
      chunks.push(chunk);
    } else if (!isAnswered) {
      chunks.push(chunk);
      outgoing.setHeader('connection', 'close');
      answer();
    } else if (size > drainBytes) {
      incoming.destroy();
    }
  });
  incoming.on('end', () => {
    if (!isAnswered) answer();
  });
  // The client went away in the middle of its request: there is nobody to answer and nothing to relay.
  incoming.on('error', () => undefined);
}

function toRelayRequest({ method = '', url = '', headers }: IncomingMessage, body: Uint8Array): RelayRequest {
  const mark = url.indexOf('?');
  return {
    method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers: headers as RelayRequest['headers'],
    body,
  };
}

function send(outgoing: ServerResponse, { status, headers, body }: RelayResponse): void {
  const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(body) };
  outgoing.writeHead(status, { ...headers, ...length });
  outgoing.end(body);
}
