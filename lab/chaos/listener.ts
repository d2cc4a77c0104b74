/** Servers on 127.0.0.1 that keep their ports. */
import http from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { listenLow } from '../../scripts/machine.ts';

/** A TCP server on 127.0.0.1 that can stop and restart on the same port. */
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
      // Some faults reset connections on purpose.
      socket.on('error', () => undefined);
      this.#serve(socket);
    });
    this.port = await listenLow(server, this.port);
    this.#server = server;
  }

  /** From now on, new connections are refused; open ones remain. */
  refuse(): void {
    this.#server?.close();
  }

  /** Behaves as if the process had died. */
  crash(): void {
    this.refuse();
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }
}

/** Answers with this status. */
export type SinkAnswer = (
  request: http.IncomingMessage,
  body: () => Promise<string>,
) => Promise<number | 'hang up'>;

/** A server that accepts POST requests. */
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
