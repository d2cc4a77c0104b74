import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MaybePromise } from '@form-relay/base/maybe_promise';

/**
 * How a destination treats deliveries: it takes them, rejects each for good, asks for another try later, never answers, or cannot be
 * reached.
 */
export type Behaviour = 'accepts' | 'rejects' | 'busy' | 'silent' | 'absent';

/** The data of one try at the destination. */
export interface Arrival {
  /** All of it, as text in which values stand as they were submitted. */
  readonly text: string;
  /** The idempotency key, if the destination gets one. */
  readonly id?: string | undefined;
  /** Names in lower case, if it speaks HTTP or mail. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
}

/** The destination of an output in a test: a server, a database, a folder. */
export interface Destination {
  /** The keys of an output that delivers there. */
  readonly keys: Readonly<Record<string, unknown>>;
  /** The data of each try, oldest first. */
  received(): MaybePromise<readonly Arrival[]>;
  /** From now on. Data held back while `silent` may go through once it is `accepts` again. */
  behave(how: Behaviour): MaybePromise<void>;
  /** How many connections outputs have open to it. Absent: it cannot tell. */
  connections?(): MaybePromise<number>;
  close(): MaybePromise<void>;
}

export interface HttpDestination {
  /** The output's keys, for a server at this port of 127.0.0.1. */
  readonly keys: (port: number) => Readonly<Record<string, unknown>>;
  /** The text of a body in which values stand as they were submitted. Default: the body. */
  readonly text?: (body: string) => string;
  /** The body of its answer to a delivery that it takes. Default: `{"ok":true}`. */
  readonly answer?: string;
}

const statuses = { accepts: 200, rejects: 400, busy: 503 };

/** A destination that speaks HTTP: an own server on 127.0.0.1 for each check. */
export const httpDestination =
  ({ keys, text = (body) => body, answer = '{"ok":true}' }: HttpDestination) =>
  async (): Promise<Destination> => {
    const received: Arrival[] = [];
    let behaviour: Behaviour = 'accepts';
    const server = createServer(async (request, response) => {
      const body = await textOf(request);
      const { headers, url = '' } = request;
      const id = headers['idempotency-key'];
      received.push({ text: `${url}\n${text(body)}`, headers, id: typeof id === 'string' ? id : undefined });
      if (behaviour === 'silent') return;
      // No retry waits.
      if (behaviour === 'busy') response.setHeader('retry-after', '0');
      response.writeHead(behaviour === 'absent' ? 502 : statuses[behaviour]);
      response.end(behaviour === 'accepts' ? answer : '{}');
    });
    const listen = (port: number) =>
      new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await listen(0);
    const { port } = server.address() as AddressInfo;
    const stop = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    return {
      keys: keys(port),
      received: () => received,
      behave: async (how) => {
        if (how === 'absent') await stop();
        else if (!server.listening) await listen(port);
        behaviour = how;
      },
      close: stop,
    };
  };

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of request) pieces.push(piece);
  } catch {
    // The sender gave up.
  }
  return Buffer.concat(pieces).toString('utf8');
}
