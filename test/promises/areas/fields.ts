import { wordsOf } from '../client.ts';
import { type Area, promise } from '../promise.ts';
import type { Trial } from '../trial.ts';

const needs = ['validation'] as const;

/** Expects a validation error, and no delivery. */
async function refuses(
  t: Trial,
  form: 'contact' | 'typed',
  ...all: readonly Readonly<Record<string, string>>[]
) {
  for (const values of all) t.status(await t.submit(form, { ...t.values, ...values }), 422);
  await t.undelivered();
}

/** Expects each to be accepted and delivered. */
async function takes(
  t: Trial,
  form: 'contact' | 'typed',
  ...all: readonly Readonly<Record<string, string>>[]
) {
  for (const values of all) t.taken(await t.submit(form, { ...t.values, ...values }));
  await t.delivered(all.length);
}

export const fields: Area = {
  from: 'SPEC: Field',
  promises: {
    required: promise`A missing required field is refused with 422, and nothing is delivered.
      (SPEC: Submission rules 4)`({ needs }, async (t) => {
      const { name, ...others } = t.values;
      const answer = await t.submit('contact', { ...others, message: t.mark });
      t.status(answer, 422);
      t.must(wordsOf(answer, 'error') !== undefined, '{"error": "<text>"}');
      await t.undelivered();
    }),
    required_empty: promise`A required field that is empty is missing.`({ needs }, (t) =>
      refuses(t, 'contact', { name: '', message: t.mark }),
    ),
    optional: promise`A field that is not required may be empty or absent.`(async (t) =>
      t.arrives('contact', { name: t.mark, email: '' }),
    ),
    email: promise`An e-mail address has exactly one @, with characters on each side; others are refused with
      422.`({ needs }, (t) =>
      refuses(t, 'contact', ...['ann', 'ann@', '@b.test', 'a@b@c.test', '@'].map((email) => ({ email }))),
    ),
    unusual_email: promise`Unusual addresses that have it are taken: tags, accents, long endings, hosts
      without a dot. (What owners fear: a real lead dropped)`((t) =>
      takes(
        t,
        'contact',
        ...['ann+web@b.museum', "o'neil@b.test", 'zoë@bücher.test', 'ann@localhost'].map((email) => ({
          email,
        })),
      ),
    ),
    longest: promise`A value of 10,000 bytes is taken whole. (SPEC: Limits)`(async (t) => {
      const message = 'x'.repeat(10_000);
      const one = await t.arrives('contact', { ...t.values, message });
      const length = (one?.text.replaceAll('\n', '').match(/x{100,}/)?.[0] ?? '').length;
      t.is(length, 10_000);
    }),
    too_long: promise`A value of 10,001 bytes is refused with 422; bytes are counted, not characters.
      (SPEC: Limits)`({ needs }, (t) =>
      refuses(t, 'contact', { message: 'x'.repeat(10_001) }, { message: `${'ü'.repeat(5_000)}x` }),
    ),
    unchecked: promise`Text, textarea and hidden take any text.`((t) =>
      takes(t, 'contact', { message: "Robert'); DROP TABLE--", page: '../../etc/passwd' }),
    ),
    number: promise`What is no number is refused in a number field, with
      422.`({ forms: ['typed'] }, (t) => refuses(t, 'typed', { amount: 'twelve' }, { amount: '1e' })),
    date: promise`A day that does not exist is refused in a date field, with
      422.`({ forms: ['typed'] }, (t) => refuses(t, 'typed', { day: '2030-02-30' }, { day: 'tomorrow' })),
    url: promise`An URL field refuses what is none, and \`javascript:\`, with
      422.`({ forms: ['typed'] }, (t) =>
      refuses(t, 'typed', { site: 'not an url' }, { site: 'javascript:alert(1)' }),
    ),
    options: promise`A choice that was not offered is refused with 422.`({ forms: ['typed'] }, (t) =>
      refuses(t, 'typed', { size: 'huge' }, { colour: 'green' }, { topics: 'z' }),
    ),
    typed: promise`Right values of every type are taken, and each of several choices is
      delivered.`({ forms: ['typed'] }, async (t) => {
      const sent = {
        name: t.mark,
        amount: '12',
        day: '2028-02-29',
        site: 'https://a.test/?x=1',
        size: 'large',
        colour: 'red',
      };
      const one = await t.arrives('typed', [...Object.entries(sent), ['topics', 'a'], ['topics', 'c']]);
      t.matches(one?.text, /topics=a\ntopics=c/);
    }),
  },
};
