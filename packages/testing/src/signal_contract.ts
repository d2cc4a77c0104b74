import assert from 'node:assert/strict';
import { assertHoldsNone, type Check, type Tested, textsOf, type Values, withRelay } from './try_relay.ts';

export interface SignalContract extends Tested {
  /** The name under `signals`. */
  readonly name: string;
  /** The keys. */
  readonly keys?: object;
  readonly fields: readonly object[];
  /** Submissions that it speaks against. */
  readonly finds: readonly Values[];
  readonly passes: readonly Values[];
}

/** The promises of every signal of the spam score. */
export function signalContract(contract: SignalContract): readonly Check[] {
  const { name, keys = {}, fields, finds, passes, plugin, env = {} } = contract;
  const signals = (more: object) => ({ signals: { [name]: { ...keys, ...more } } });
  const forms = {
    used: { fields, spam: { doubt: 'observe', ...signals({}) } },
    heavy: { fields, spam: { doubt: { drop: 5 }, ...signals({ weight: 100 }) } },
    plain: { fields, spam: { doubt: 'observe' } },
  };
  /** The points of the signal, for each submission. */
  const pointsOf = (form: keyof typeof forms, all: readonly Values[], dryRun = false) =>
    withRelay({ forms, plugins: plugin ? [plugin] : [], env, dryRun }, async (relay) => {
      for (const values of all) {
        const { status, text } = await relay.submit(form, values);
        assert.equal(status, 200, text);
        assertHoldsNone('the log', JSON.stringify(relay.logged), textsOf(values));
      }
      const lines = relay.logged.filter(({ event }) => event === 'submission');
      return lines.map((line) => Object(line.signals)[name] as number | undefined);
    });
  const check = (promise: string, run: () => Promise<void>): Check => ({ name: `${name} ${promise}`, run });
  return [
    check('speaks against what it should', async () => {
      for (const points of await pointsOf('used', finds)) assert.ok(points, 'the signal gives no points');
    }),
    check('lets pass what it should', async () => {
      assert.deepEqual(
        await pointsOf('used', passes),
        passes.map(() => undefined),
      );
    }),
    check('counts at most half of drop', async () => {
      for (const points of await pointsOf('heavy', finds))
        assert.ok(Number(points) <= 2.5, `the signal gives ${points} of 5 points`);
    }),
    check('finds nothing in a form that does not name it', async () => {
      assert.deepEqual(
        await pointsOf('plain', finds),
        finds.map(() => undefined),
      );
    }),
    check('lets pass everything in a dry run', async () => {
      await pointsOf('used', [...finds, ...passes], true);
    }),
  ];
}
