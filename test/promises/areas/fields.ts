import { wordsOf } from '../client.ts';
import type { Area } from '../promise.ts';
import type { Trial } from '../trial.ts';

const needs = ['validation'] as const;

/** A validation error, and nothing delivered. */
async function refuses(
  t: Trial,
  form: 'contact' | 'typed',
  ...all: readonly Readonly<Record<string, string>>[]
) {
  for (const values of all) t.status(await t.submit(form, { ...t.values, ...values }), 422);
  await t.undelivered();
}

/** Each is taken, and delivered. */
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
    required: {
      says: 'A missing required field is refused with 422, and nothing is delivered.',
      from: 'SPEC: Submission rules 4',
      needs,
      check: async (t) => {
        const { name, ...others } = t.values;
        const answer = await t.submit('contact', { ...others, message: t.mark });
        t.status(answer, 422);
        t.must(wordsOf(answer, 'error') !== undefined, '{"error": "<text>"}');
        await t.undelivered();
      },
    },
    required_empty: {
      says: 'A required field that is empty is missing.',
      needs,
      check: (t) => refuses(t, 'contact', { name: '', message: t.mark }),
    },
    optional: {
      says: 'A field that is not required may be empty or absent.',
      check: async (t) => t.arrives('contact', { name: t.mark, email: '' }),
    },
    email: {
      says: 'An e-mail address has exactly one @, with characters on each side; others are refused with 422.',
      needs,
      check: (t) =>
        refuses(t, 'contact', ...['ann', 'ann@', '@b.test', 'a@b@c.test', '@'].map((email) => ({ email }))),
    },
    unusual_email: {
      says: 'Unusual addresses that have it are taken: tags, accents, long endings, hosts without a dot.',
      from: 'What owners fear: a real lead dropped',
      check: (t) =>
        takes(
          t,
          'contact',
          ...['ann+web@b.museum', "o'neil@b.test", 'zoë@bücher.test', 'ann@localhost'].map((email) => ({
            email,
          })),
        ),
    },
    longest: {
      says: 'A value of 10,000 bytes is taken whole.',
      from: 'SPEC: Limits',
      check: async (t) => {
        const message = 'x'.repeat(10_000);
        const one = await t.arrives('contact', { ...t.values, message });
        const length = (one?.text.replaceAll('\n', '').match(/x{100,}/)?.[0] ?? '').length;
        t.is(length, 10_000);
      },
    },
    too_long: {
      says: 'A value of 10,001 bytes is refused with 422; bytes are counted, not characters.',
      from: 'SPEC: Limits',
      needs,
      check: (t) =>
        refuses(t, 'contact', { message: 'x'.repeat(10_001) }, { message: `${'ü'.repeat(5_000)}x` }),
    },
    unchecked: {
      says: 'Text, textarea and hidden take any text.',
      check: (t) => takes(t, 'contact', { message: "Robert'); DROP TABLE--", page: '../../etc/passwd' }),
    },
    number: {
      says: 'What is no number is refused in a number field, with 422.',
      forms: ['typed'],
      check: (t) => refuses(t, 'typed', { amount: 'twelve' }, { amount: '1e' }),
    },
    date: {
      says: 'A day that does not exist is refused in a date field, with 422.',
      forms: ['typed'],
      check: (t) => refuses(t, 'typed', { day: '2030-02-30' }, { day: 'tomorrow' }),
    },
    url: {
      says: 'An URL field refuses what is none, and `javascript:`, with 422.',
      forms: ['typed'],
      check: (t) => refuses(t, 'typed', { site: 'not an url' }, { site: 'javascript:alert(1)' }),
    },
    options: {
      says: 'A choice that was not offered is refused with 422.',
      forms: ['typed'],
      check: (t) => refuses(t, 'typed', { size: 'huge' }, { colour: 'green' }, { topics: 'z' }),
    },
    typed: {
      says: 'Right values of every type are taken, and each of several choices is delivered.',
      forms: ['typed'],
      check: async (t) => {
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
      },
    },
  },
};
