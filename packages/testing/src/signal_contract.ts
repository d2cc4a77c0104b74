import assert from 'node:assert/strict';
import { assertHoldsNone, type Check, type Tested, textsOf, type Values, withRelay } from './try_relay.ts';

export interface SignalContract extends Tested {
  /** The signal's name in `signals`. */
  readonly name: string;
  /** The signal's keys. */
  readonly keys?: object;
  readonly fields: readonly object[];
  /** Submissions to which the signal gives points. */
  readonly finds: readonly Values[];
  readonly passes: readonly Values[];
}

/** Checks for every signal of the spam score. */
export function signalContract(contract: SignalContract): readonly Check[] {
  const { name, keys = {}, fields, finds, passes, plugin, env = {} } = contract;
  const signals = (more: object) => ({ signals: { [name]: { ...keys, ...more } } });
  const forms = {
    used: { fields, spam: { doubt: 'observe', ...signals({}) } },
    heavy: { fields, spam: { doubt: { drop: 5 }, ...signals({ weight: 100 }) } },
    plain: { fields, spam: { doubt: 'observe' } },
  };
  /** The signal's points for each submission. */
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
    check('adds points to spam', async () => {
      for (const points of await pointsOf('used', finds)) assert.ok(points, 'the signal gives no points');
    }),
    check('adds no points to other texts', async () => {
      assert.deepEqual(
        await pointsOf('used', passes),
        passes.map(() => undefined),
      );
    }),
    check('counts at most half of drop', async () => {
      for (const points of await pointsOf('heavy', finds))
        assert.ok(
          Number(points) <= 2.5,
          `the signal gives ${points} points; the limit is 2.5, half of drop (5)`,
        );
    }),
    check('adds no points in a form that does not name it', async () => {
      assert.deepEqual(
        await pointsOf('plain', finds),
        finds.map(() => undefined),
      );
    }),
    check('adds no points in a dry run', async () => {
      await pointsOf('used', [...finds, ...passes], true);
    }),
  ];
}
