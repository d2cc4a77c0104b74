import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import * as certificates from './certificates.ts';

export interface SunkRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Name, value, name, value, as sent, one character a byte (Latin-1). */
  readonly rawHeaders: readonly string[];
  /** Names in lower case. */
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The same bytes, one character each (Latin-1). */
  readonly body: string;
}

export interface SinkAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

export interface HttpSinkOptions {
  /** Called with each complete request. Default: an empty 200. A promise that never settles leaves the client waiting. */
  readonly answer?: (request: SunkRequest) => SinkAnswer | Promise<SinkAnswer>;
  /** Serve HTTPS with the test certificate. */
  readonly tls?: boolean;
  /** More of the Node server's own options. */
  readonly server?: https.ServerOptions;
}

export interface HttpSink {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly port: number;
  /** Every complete request, in order. */
  readonly requests: readonly SunkRequest[];
  /** Connections accepted so far. */
  readonly connections: number;
  /** Closes the connections that rest between two requests. */
  closeIdle(): void;
  /** Cuts whatever is still open. */
  close(): Promise<void>;
}

/** A real HTTP server on a free port of 127.0.0.1. */
export async function startHttpSink(options: HttpSinkOptions = {}): Promise<HttpSink> {
  const { answer = (): SinkAnswer => ({}), tls = false } = options;
  const requests: SunkRequest[] = [];
  let connections = 0;

  const listener: http.RequestListener = (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', async () => {
      const { method = '', url = '', rawHeaders, headers } = incoming;
      const bytes = Buffer.concat(chunks);
      const request = { method, url, rawHeaders, headers, bytes, body: bytes.toString('latin1') };
      requests.push(request);
      const { status = 200, headers: answered, body } = await answer(request);
      response.writeHead(status, answered).end(body);
    });
  };
  const server = tls
    ? https.createServer({ ...certificates.server, ...options.server }, listener)
    : http.createServer({ ...options.server }, listener);
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return connections;
    },
    closeIdle: () => server.closeIdleConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
