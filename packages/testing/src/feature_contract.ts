import assert from 'node:assert/strict';
import {
  assertHoldsNone,
  assertWorded,
  type Check,
  type Tested,
  type TriedRelay,
  textsOf,
  type Values,
  withRelay,
} from './try_relay.ts';

export interface FeatureContract extends Tested {
  readonly name: string;
  /** The form's keys that use the feature, with the form's fields. */
  readonly form: { readonly fields: readonly object[]; readonly [key: string]: unknown };
  /** More top-level keys, such as `counted_in`. Called once for each check. */
  readonly top?: (() => object) | undefined;
  readonly passes: readonly Values[];
  /** Submissions that the feature keeps from the outputs. */
  readonly stops: readonly Values[];
}

/** Checks for every feature that decides about submissions. */
export function featureContract(contract: FeatureContract): readonly Check[] {
  const { name, form, passes, stops, plugin, env = {}, top } = contract;
  const forms = { used: form, plain: { fields: form.fields } };
  const check = (
    promise: string,
    work: (relay: TriedRelay) => Promise<void>,
    { used = form, dryRun = false }: { readonly used?: object; readonly dryRun?: boolean } = {},
  ): Check => ({
    name: `${name} ${promise}`,
    run: () =>
      withRelay(
        { forms: { ...forms, used }, top: top?.(), plugins: plugin ? [plugin] : [], env, dryRun },
        work,
      ),
  });
  const submit = async (relay: TriedRelay, to: string, values: Values) => {
    const answer = await relay.submit(to, values);
    assertHoldsNone('the log', JSON.stringify(relay.logged), textsOf(values));
    return answer;
  };
  return [
    check('accepts the right submissions, once', async (relay) => {
      for (const values of passes) {
        const { status, text } = await submit(relay, 'used', values);
        assert.equal(status, 200, text);
      }
      assert.equal(relay.delivered.length, passes.length);
    }),
    check('stops the right submissions, and logs each', async (relay) => {
      for (const values of stops) {
        await submit(relay, 'used', values);
        assertWorded(relay);
      }
      assert.equal(relay.delivered.length, 0);
      const lines = relay.logged.filter(({ event }) => event === 'submission');
      assert.equal(lines.length, stops.length);
    }),
    check('does nothing in a form without it', async (relay) => {
      assert.deepEqual((await relay.form('plain')).steps, ['validation']);
      for (const values of stops) assert.equal((await relay.submit('plain', values)).status, 200);
      assert.equal(relay.delivered.length, stops.length);
    }),
    check(
      'decides in a dry run as it does otherwise',
      async (relay) => {
        for (const values of passes) {
          const { status, text } = await relay.submit('used', values);
          assert.equal(status, 200, `in a dry run, its visitor reads ${text}`);
        }
      },
      { dryRun: true },
    ),
    check(
      'accepts a submission again that could not be delivered',
      async (relay) => {
        const [values] = passes;
        if (!values) return;
        for (const _ of [1, 2]) {
          const { status, text } = await relay.submit('used', values);
          assert.equal(status, 500, `a visitor who tries again reads ${text}`);
        }
      },
      // Nothing listens on this port.
      { used: { ...form, outputs: [{ type: 'http_post', url: 'http://127.0.0.1:9/', mapping: '*' }] } },
    ),
  ];
}
