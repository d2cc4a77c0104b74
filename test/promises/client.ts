/** Raw requests: nothing is normalized, followed, kept alive or repeated. */
import http from 'node:http';
import net from 'node:net';

/** An HTTP answer as received. */
export interface Answer {
  readonly status: number;
  /** Names in lower case; repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Request {
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Sends a request to `origin`. Rejects if no complete answer arrives within `patienceMs`. */
export function send(origin: URL, request: Request, patienceMs: number): Promise<Answer> {
  const { method, path, headers = {}, body } = request;
  const length = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
  const signal = AbortSignal.timeout(patienceMs);
  return new Promise((resolve, reject) => {
    const options = { method, path, agent: false, signal, headers: { ...length, ...headers } };
    const request = http.request(origin, options, (response) => {
      const chunks: Buffer[] = [];
      response
        .on('error', reject)
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const received: Record<string, string> = Object.create(null);
          for (const [name, value] of Object.entries(response.headers)) received[name] = `${value}`;
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: received, text });
        });
    });
    request.on('error', reject).end(body);
  });
}

/** A connection, and everything received on it. */
export interface Wire {
  readonly socket: net.Socket;
  /** Latin-1: one character per byte. */
  readonly received: () => string;
  /** Rejects if nobody listens. */
  readonly connected: Promise<void>;
  /** Resolves when the product closes the connection, or `patienceMs` after the last bytes. */
  readonly ended: Promise<void>;
}

export function connect({ hostname, port }: URL, patienceMs: number): Wire {
  const socket = net.connect(Number(port), hostname);
  let received = '';
  const connected = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  connected.catch(() => {});
  // After rejecting a request, a server closes connections that continue to send.
  socket.on('error', () => {});
  const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.setTimeout(patienceMs, () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  return { socket, received: () => received, connected, ended };
}

/** The answers received on a connection, in order. The list ends at the first bytes that are not HTTP. */
export function answersIn(received: string): readonly Answer[] {
  const answers: Answer[] = [];
  let rest = received;
  while (rest !== '') {
    const headEnd = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest.slice(0, Math.max(0, headEnd)).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1]);
    if (headEnd < 0 || Number.isNaN(status)) break;
    const headers: Record<string, string> = Object.create(null);
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    rest = rest.slice(headEnd + 4);
    // 1xx precedes the answer, and has no body.
    if (status < 200) continue;
    // In a chunked body, only the end matters.
    const isChunked = headers['transfer-encoding'] === 'chunked';
    const length = isChunked
      ? rest.indexOf('0\r\n\r\n') + 5
      : Number(headers['content-length'] ?? rest.length);
    const text = Buffer.from(rest.slice(0, length), 'latin1').toString('utf8');
    answers.push({ status, headers, text });
    rest = rest.slice(length);
  }
  return answers;
}

/** The text of a key in an answer's JSON. */
export function wordsOf({ text }: Answer, key: 'message' | 'error'): string | undefined {
  try {
    const words = JSON.parse(text)?.[key];
    return typeof words === 'string' && words !== '' ? words : undefined;
  } catch {
    return undefined;
  }
}

/** An answer without parts that always differ: the time, its id, the connection. */
export function lasting({ status, headers, text }: Answer): string {
  const names = Object.keys(headers).filter((name) => !passing.has(name));
  return [`${status}`, ...names.sort().map((name) => `${name}: ${headers[name]}`), text].join(' | ');
}

const passing = new Set(['date', 'connection', 'keep-alive', 'x-request-id', 'x-response-time', 'age']);
