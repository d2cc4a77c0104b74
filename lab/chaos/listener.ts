/** Servers on 127.0.0.1 whose ports stay theirs. */
import http from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** A TCP server on 127.0.0.1 that can go away and come back, always on the same port. */
export class Listener {
  port = 0;
  readonly #sockets = new Set<Socket>();
  readonly #serve: (socket: Socket) => void;
  #server: Server | undefined;

  constructor(serve: (socket: Socket) => void) {
    this.#serve = serve;
  }

  async open(): Promise<void> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      // Some ways reset connections on purpose.
      socket.on('error', () => undefined);
      this.#serve(socket);
    });
    this.port = await listenLow(server, this.port);
    this.#server = server;
  }

  /** From now on connects are refused; open connections stay. */
  refuse(): void {
    this.#server?.close();
  }

  /** As when the process behind it dies. */
  crash(): void {
    this.refuse();
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }
}

/** Some other server may have a port while nobody listens on it; others that run on this machine are soon gone. */
const patienceMs = 20_000;

/** Below the ports that systems give to outgoing connections: a port stays free while nobody listens on it. */
export async function listenLow(server: Server, wanted = 0): Promise<number> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const port = wanted || 20_000 + Math.floor(Math.random() * 12_000);
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', 511, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return port;
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isTaken || performance.now() > until) throw error;
      if (wanted) await sleep(50);
    }
  }
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenLow(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Answers with this status. */
export type SinkAnswer = (
  request: http.IncomingMessage,
  body: () => Promise<string>,
) => Promise<number | 'hang up'>;

/** A server that takes what is posted. */
export async function startSink(answer: SinkAnswer) {
  const server = http.createServer(async (request, response) => {
    const status = await answer(request, () => text(request)).catch(() => 'hang up' as const);
    if (status === 'hang up') request.socket.destroy();
    else if (!response.destroyed) response.writeHead(status).end();
  });
  const port = await listenLow(server);
  const cut = () => server.closeAllConnections();
  const close = async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port, cut, close };
}
