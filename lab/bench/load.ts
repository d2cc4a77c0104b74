/** The load and the sink, on bare sockets: they share a core, and neither may become the bottleneck. */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../../test/support/listen.ts';

interface Load {
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second, however slow the answers are. Latencies count from when a request was due. */
  readonly perSecond?: number;
}

/**
 * Keeps `connections` requests in progress for `seconds`, each sent when the previous one was answered:
 * always the same, or made by `request`.
 */
export async function load(
  origin: string,
  request: Buffer | (() => Buffer),
  { connections, seconds, perSecond }: Load,
) {
  const { hostname, port } = new URL(origin);
  const latencies: number[] = [];
  /** Answers with a status other than 200, and lost connections. */
  let failures = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;

  const everyMs = perSecond === undefined ? 0 : (connections / perSecond) * 1000;
  const client = (_: unknown, number: number) =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname);
      socket.setNoDelay(true);
      let sentAt = startedAt + (everyMs * number) / connections - everyMs;
      const send = () => {
        const waitMs = everyMs === 0 ? 0 : sentAt + everyMs - performance.now();
        if (waitMs > 1) {
          setTimeout(send, waitMs - 1);
          return;
        }
        sentAt = everyMs === 0 ? performance.now() : sentAt + everyMs;
        socket.write(typeof request === 'function' ? request() : request);
      };
      socket.on('connect', send);
      onMessage(socket, (head) => {
        const now = performance.now();
        latencies.push(now - sentAt);
        if (!head.startsWith('HTTP/1.1 200 ')) failures += 1;
        if (now < endsAt) send();
        else socket.end();
      });
      socket.on('error', () => {
        failures += 1;
      });
      socket.on('close', resolve);
    });
  await Promise.all(Array.from({ length: connections }, client));

  latencies.sort((a, b) => a - b);
  return {
    answers: latencies.length,
    failures,
    seconds: (performance.now() - startedAt) / 1000,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
  };
}

/** Counts requests, and answers each with an empty 200. */
export async function startSink() {
  const answer = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  let received = 0;
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    onMessage(socket, () => {
      received += 1;
      socket.write(answer);
    });
    socket.on('error', () => undefined);
  });
  return {
    origin: `http://127.0.0.1:${await listen(server)}`,
    /** Complete requests so far. */
    get received() {
      return received;
    },
    close: () => server.close(),
  };
}

/** Calls back with the head of every HTTP message, whose body is framed by Content-Length. */
function onMessage(socket: Socket, callback: (head: string) => void): void {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    for (;;) {
      const headEnd = text.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = text.slice(0, headEnd);
      const end = headEnd + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
      if (Number.isNaN(end)) throw new Error(`a message without Content-Length: ${head}`);
      if (text.length < end) return;
      text = text.slice(end);
      callback(head);
    }
  });
}
