import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MaybePromise } from '@form-relay/base/maybe_promise';
import {
  assertHoldsNone,
  type Check,
  recorded,
  type Tested,
  type TriedRelay,
  withRelay,
} from './try_relay.ts';

export interface OutputContract extends Tested {
  readonly type: string;
  /** Opens an empty destination for one check. `httpDestination` makes one for outputs that use HTTP. */
  readonly destination: () => Promise<Destination>;
  /** The behaviours that the destination can simulate. Default: all. */
  readonly behaviours?: readonly Behaviour[];
  /** Texts that must not be in any log or response, such as the token in `env`. */
  readonly secrets?: readonly string[];
}

const name = 'Ada-Lovelace-1815';
const email = 'ada@visitor.example';

/** The time limit of a delivery, for checks of timeouts. */
const timeoutMs = 300;
/** How long a check watches for a delivery that must not happen. */
const watchMs = 1_000;

/** Checks for every output, with any protocol. */
export function outputContract(contract: OutputContract): readonly Check[] {
  const { type, destination, plugin, env = {}, secrets = [] } = contract;
  const all: readonly Behaviour[] = ['accepts', 'rejects', 'busy', 'silent', 'absent'];
  const behaviours = new Set(contract.behaviours ?? all);

  interface Bench {
    readonly relay: TriedRelay;
    readonly there: Destination;
    /** The arrivals of all attempts. */
    received(): Promise<readonly Arrival[]>;
  }
  const check = (
    promise: string,
    work: (bench: Bench) => Promise<void>,
    { needs, keys, outputs = [], dryRun = false }: Setup = {},
  ): readonly Check[] =>
    needs !== undefined && !behaviours.has(needs)
      ? []
      : [
          {
            name: `${type} ${promise}`,
            run: async () => {
              const there = await destination();
              try {
                const output = { type, mapping: '*', retries: 0, ...there.keys, ...keys };
                const fields = [{ name: 'name', required: true }, { name: 'email' }];
                await withRelay(
                  {
                    forms: { contact: { fields, outputs: [output, ...outputs] } },
                    plugins: plugin ? [plugin] : [],
                    env,
                    dryRun,
                  },
                  async (relay) => {
                    if (needs) await there.behave(needs);
                    await work({ relay, there, received: async () => there.received() });
                    assertHoldsNone('the log', JSON.stringify(relay.logged), [name, email, ...secrets]);
                  },
                );
              } finally {
                await there.close();
              }
            },
          },
        ];
  const fails = async ({ relay }: Bench) => {
    const { status, text } = await relay.submit('contact', { name, email });
    assert.equal(status, 500, 'the visitor must learn that the submission did not arrive');
    assert.ok(
      relay.logged.some(({ event }) => event === 'delivery_failed'),
      'the log must say that the delivery failed',
    );
    assertHoldsNone('the answer', text, [name, email, ...secrets]);
  };

  return [
    ...check('delivers the submitted values', async ({ relay, received }) => {
      const { status, text } = await relay.submit('contact', { name, email });
      assert.equal(status, 200, `${text} ${JSON.stringify(relay.logged)}`);
      const arrived = await received();
      assert.equal(arrived.length, 1, 'a submission is delivered once');
      for (const value of [name, email])
        assert.ok(arrived[0]?.text.includes(value), `${value} must be in ${arrived[0]?.text}`);
      assertHoldsNone('the answer', text, [name, email, ...secrets]);
    }),
    ...check('fails if the destination rejects a delivery', fails, { needs: 'rejects' }),
    ...check('fails if the destination is busy', fails, { needs: 'busy' }),
    ...check('fails if the destination cannot be reached', fails, { needs: 'absent' }),
    ...check(
      'gives up at its timeout, and delivers nothing afterwards',
      async (bench) => {
        await fails(bench);
        const before = (await bench.received()).length;
        await bench.there.behave('accepts');
        await new Promise((resolve) => setTimeout(resolve, watchMs));
        const after = (await bench.received()).length;
        assert.ok(before <= 1 && after === before, 'nothing may arrive after the signal of `send` aborted');
      },
      { needs: 'silent', keys: { timeout: `${timeoutMs}ms` } },
    ),
    ...check(
      'sends one idempotency key with all tries of a delivery, and another with the next',
      async ({ relay, received }) => {
        for (const _ of [1, 2]) assert.equal((await relay.submit('contact', { name, email })).status, 500);
        const ids = (await received()).map(({ id }) => id);
        const isKeyed = ids.some((id) => id !== undefined);
        if (!isKeyed) return;
        const first = ids.slice(0, ids.length / 2);
        assert.ok(first.length > 1, 'a busy destination is tried again');
        assert.equal(new Set(first).size, 1, `the tries of one delivery used the keys ${first.join(', ')}`);
        assert.equal(new Set(ids).size, 2, 'two submissions must have two keys');
      },
      { needs: 'busy', keys: { retries: 1 } },
    ),
    ...check(
      'does not keep other outputs from delivering',
      async ({ relay }) => {
        assert.equal((await relay.submit('contact', { name })).status, 200);
        assert.equal(relay.delivered.length, 1);
      },
      { needs: 'rejects', keys: { on_error: 'continue' }, outputs: [recorded] },
    ),
    ...check('lets no visitor add a header', async ({ relay, received }) => {
      await relay.submit('contact', { name: `${name}\r\nx-added: 1`, email });
      for (const { headers } of await received()) assert.equal(headers?.['x-added'], undefined);
    }),
    ...check(
      'delivers nothing in a dry run',
      async ({ relay, received }) => {
        await relay.submit('contact', { name, email });
        assert.equal((await received()).length, 0);
      },
      { dryRun: true },
    ),
    ...check('closes its connections with the relay', async ({ relay, there }) => {
      if (!there.connections) return;
      await relay.submit('contact', { name, email });
      await relay.close();
      // The destination notices the end a moment later.
      const until = Date.now() + watchMs;
      while ((await there.connections()) > 0 && Date.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 10));
      assert.equal(await there.connections(), 0, '`close` of what `open` returned must end them');
    }),
  ];
}

interface Setup {
  /** How the destination behaves from the start. */
  readonly needs?: Behaviour;
  readonly keys?: object;
  readonly outputs?: readonly object[];
  readonly dryRun?: boolean;
}

/**
 * How a destination treats deliveries: it accepts them, rejects them permanently, asks for a retry later,
 * never responds, or is unreachable.
 */
export type Behaviour = 'accepts' | 'rejects' | 'busy' | 'silent' | 'absent';

/** The data that one attempt delivered to the destination. */
export interface Arrival {
  /** All data as text that contains the submitted values unchanged. */
  readonly text: string;
  /** The idempotency key, if the destination gets one. */
  readonly id?: string | undefined;
  /** Header names in lower case, if the destination uses HTTP or mail. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
}

/** The destination of an output in a test: a server, a database, a folder. */
export interface Destination {
  /** The keys of an output that delivers to this destination. */
  readonly keys: Readonly<Record<string, unknown>>;
  /** The data that each attempt delivered, oldest first. */
  received(): MaybePromise<readonly Arrival[]>;
  /** Sets the behaviour from now on. Data held back while `silent` may arrive once it is `accepts` again. */
  behave(how: Behaviour): MaybePromise<void>;
  /** How many connections the outputs have open to the destination. Absent: the destination cannot tell. */
  connections?(): MaybePromise<number>;
  close(): MaybePromise<void>;
}

export interface HttpDestination {
  /** The output's keys, for a server at this port of 127.0.0.1. */
  readonly keys: (port: number) => Readonly<Record<string, unknown>>;
  /** Turns a body into text that contains the submitted values unchanged. Default: the body. */
  readonly text?: (body: string) => string;
  /** The body of the response to an accepted delivery. Default: `{"ok":true}`. */
  readonly answer?: string;
}

const statuses = { accepts: 200, rejects: 400, busy: 503 };

/** A destination that uses HTTP, with its own server on 127.0.0.1 for each check. */
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
      // So a retry does not wait.
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
    // The sender has given up.
  }
  return Buffer.concat(pieces).toString('utf8');
}
