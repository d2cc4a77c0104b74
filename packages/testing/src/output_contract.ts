import assert from 'node:assert/strict';
import { assertHoldsNone, type Check, type Tested } from './check.ts';
import type { Arrival, Behaviour, Destination } from './destination.ts';
import { recorded, type TriedRelay, withRelay } from './try_relay.ts';

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
