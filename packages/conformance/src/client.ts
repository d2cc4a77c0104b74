/** Requests as written: nothing is normalized, followed, kept alive or repeated. */
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import type { Answer } from './answer.ts';

export interface Request {
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Sends a request to `origin`. Rejects when no whole answer came within `patienceMs`. */
export function send(origin: URL, request: Request, patienceMs: number): Promise<Answer> {
  const { method, path, headers = {}, body } = request;
  const client = origin.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const asked = client.request(
      origin,
      {
        method,
        path,
        agent: false,
        signal: AbortSignal.timeout(patienceMs),
        headers: lengthOf(body, headers),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response
          .on('error', reject)
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => {
            const joined = Object.entries(response.headers).map(([name, value]) => [name, `${value}`]);
            resolve({
              status: response.statusCode ?? 0,
              headers: Object.assign(Object.create(null), Object.fromEntries(joined)),
              text: Buffer.concat(chunks).toString('utf8'),
            });
          });
      },
    );
    asked.on('error', reject).end(body);
  });
}

const lengthOf = (body: Request['body'], headers: Readonly<Record<string, string>>) =>
  body === undefined ? headers : { 'content-length': `${Buffer.byteLength(body)}`, ...headers };

/** A connection of one's own, with what came back on it. */
export interface Wire {
  readonly socket: net.Socket;
  /** Latin-1: a character for each byte. */
  readonly received: () => string;
  /** Rejects where nobody listens. */
  readonly connected: Promise<void>;
  /** Resolves when the product ends the connection, or `patienceMs` after the last bytes. */
  readonly ended: Promise<'closed' | 'silent'>;
}

export function connect(origin: URL, patienceMs: number): Wire {
  const port = Number(origin.port || (origin.protocol === 'https:' ? 443 : 80));
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  const socket =
    origin.protocol === 'https:'
      ? tls.connect({ host, port, servername: net.isIP(host) ? '' : host })
      : net.connect(port, host);
  let received = '';
  const connected = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  connected.catch(() => {});
  // A server that refuses a request cuts off clients that continue to send.
  socket.on('error', () => {});
  const ended = new Promise<'closed' | 'silent'>((resolve) => {
    socket.setTimeout(patienceMs, () => {
      resolve('silent');
      socket.destroy();
    });
    socket.on('close', () => resolve('closed'));
  });
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  return { socket, received: () => received, connected, ended };
}
