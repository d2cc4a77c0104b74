import assert from 'node:assert/strict';
import { type Check, keptHere, type Trial, type Tried, withRelay } from './trial.ts';

type Values = Readonly<Record<string, string>>;

export interface FeatureContract extends Tried {
  readonly name: string;
  /** The form's keys that use it, with its fields. */
  readonly form: { readonly fields: readonly object[]; readonly [key: string]: unknown };
  readonly passes: readonly Values[];
  /** Submissions that it keeps from the outputs. */
  readonly stops: readonly Values[];
}

/** What every feature that decides about submissions promises. */
export function featureContract(asked: FeatureContract): readonly Check[] {
  const { name, form, passes, stops } = asked;
  const plain = { fields: form.fields, outputs: [keptHere] };
  const trying = (work: (trial: Trial) => Promise<void>, dryRun = false) =>
    withRelay(asked, { used: { ...form, outputs: [keptHere] }, plain }, work, dryRun);
  const tellsNothing = ({ logged }: Trial, values: Values) => {
    for (const value of Object.values(values))
      assert.ok(value.length < 4 || !JSON.stringify(logged).includes(value), `the log holds ${value}`);
  };
  return [
    {
      name: `${name} lets pass what it should, once`,
      run: () =>
        trying(async (trial) => {
          for (const values of passes) {
            const { status, text } = await trial.submit('used', values);
            assert.equal(status, 200, text);
            tellsNothing(trial, values);
          }
          assert.equal(trial.delivered.length, passes.length);
        }),
    },
    {
      name: `${name} stops what it should, and says so to the owner`,
      run: () =>
        trying(async (trial) => {
          for (const values of stops) {
            const { text } = await trial.submit('used', values);
            assert.doesNotMatch(text, /"error":"[a-z\d_]+"/, 'its code has no words in messages');
            tellsNothing(trial, values);
          }
          assert.equal(trial.delivered.length, 0);
          const lines = trial.logged.filter((line) => Reflect.get(line, 'event') === 'submission');
          assert.equal(lines.length, stops.length);
        }),
    },
    {
      name: `${name} does nothing in a form without it`,
      run: () =>
        trying(async (trial) => {
          assert.deepEqual(await trial.steps('plain'), ['validation']);
          for (const values of stops) assert.equal((await trial.submit('plain', values)).status, 200);
          assert.equal(trial.delivered.length, stops.length);
        }),
    },
    {
      name: `${name} decides in a dry run as it does otherwise`,
      run: () =>
        trying(async ({ submit }) => {
          for (const values of passes) assert.equal((await submit('used', values)).status, 200);
        }, true),
    },
  ];
}
