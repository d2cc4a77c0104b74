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
  /** Opens an empty destination, for one check. `httpDestination` makes one for outputs that speak HTTP. */
  readonly destination: () => Promise<Destination>;
  /** How the destination can be made to behave, in tests. Default: in all ways. */
  readonly behaviours?: readonly Behaviour[];
  /** Texts that no log and no answer may hold, such as the token in `env`. */
  readonly secrets?: readonly string[];
}

const name = 'Ada-Lovelace-1815';
const email = 'ada@visitor.example';

/** The time of a delivery in checks of what happens after it. */
const timeoutMs = 300;
/** How long a check looks for a delivery that must not happen. */
const watchMs = 1_000;

/** The promises of every output, for any protocol. */
export function outputContract(contract: OutputContract): readonly Check[] {
  const { type, destination, plugin, env = {}, secrets = [] } = contract;
  const all: readonly Behaviour[] = ['accepts', 'rejects', 'busy', 'silent', 'absent'];
  const behaviours = new Set(contract.behaviours ?? all);

  interface Bench {
    readonly relay: TriedRelay;
    readonly there: Destination;
    /** The arrivals of all tries. */
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
    ...check('delivers what was submitted', async ({ relay, received }) => {
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
        assert.equal(new Set(first).size, 1, `the tries of one delivery came as ${first.join(', ')}`);
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
      // The destination learns of the end a moment later.
      const until = Date.now() + watchMs;
      while ((await there.connections()) > 0 && Date.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 10));
      assert.equal(await there.connections(), 0, '`close` of what `open` returned must end them');
    }),
  ];
}

interface Setup {
  /** The destination behaves in this way from the start. */
  readonly needs?: Behaviour;
  readonly keys?: object;
  readonly outputs?: readonly object[];
  readonly dryRun?: boolean;
}

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
