import assert from 'node:assert/strict';
import { type Check, keptHere, type Trial, type Tried, withRelay } from './trial.ts';

export interface FieldContract extends Tried {
  readonly type: string;
  /** The field's keys beside `name` and `type`. */
  readonly keys?: Readonly<Record<string, unknown>>;
  /** Values that it takes, as a browser sends them. */
  readonly takes: readonly string[];
  readonly refuses: readonly string[];
}

/** As a hostile config and a hostile visitor would write it. */
const markup = '"><script>alert(1)</script>';

/** What every type of field with one value promises. */
export function fieldContract(asked: FieldContract): readonly Check[] {
  const { type, keys = {}, takes, refuses } = asked;
  const withField = (more: object, work: (trial: Trial) => Promise<void>) =>
    withRelay(
      asked,
      { contact: { fields: [{ name: 'it', type, ...keys, ...more }], outputs: [keptHere] } },
      work,
    );
  return [
    {
      name: `${type} takes what it should`,
      run: () =>
        withField({}, async (trial) => {
          for (const value of takes) {
            const { status, text } = await trial.submit('contact', { it: value });
            assert.equal(status, 200, `${value}: ${text}`);
          }
          assert.equal(trial.delivered.length, takes.length);
        }),
    },
    {
      name: `${type} refuses what it should, in words`,
      run: () =>
        withField({}, async (trial) => {
          for (const value of refuses) {
            const { status, text } = await trial.submit('contact', { it: value });
            assert.equal(status, 422, `${value}: ${text}`);
            assert.doesNotMatch(text, /"(it: )?[a-z\d_]+"\}$/, `${value}: its code has no words in messages`);
          }
          assert.equal(trial.delivered.length, 0);
        }),
    },
    {
      name: `${type} may be empty unless it is required`,
      run: async () => {
        await withField({}, async ({ submit }) => {
          assert.equal((await submit('contact', { it: '' })).status, 200);
          assert.equal((await submit('contact', {})).status, 200);
        });
        await withField({ required: true }, async ({ submit }) => {
          assert.equal((await submit('contact', { it: '' })).status, 422);
        });
      },
    },
    {
      name: `${type} has a control with its name, and a label`,
      run: () =>
        withField({ label: 'A label' }, async ({ html }) => {
          const form = await html('contact');
          assert.match(form, /name="it"/);
          assert.match(form, /A label/);
        }),
    },
    {
      name: `${type} takes no markup from a label or a visitor`,
      run: () =>
        withField({ label: markup, help: markup }, async ({ html, submit }) => {
          assert.ok(!(await html('contact')).includes('<script>alert'));
          assert.ok(!(await submit('contact', { it: markup })).text.includes('<script>alert'));
        }),
    },
  ];
}
