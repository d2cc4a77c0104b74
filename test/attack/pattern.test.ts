/** A `pattern` is the owner's, its value the visitor's: together they may take years to match. They do not get them (D43). */
import { describe, expect, test } from 'vitest';
import { Pattern, patternBudget } from '../../src/fields/pattern.ts';
import { contact } from '../spec/stage.ts';

const yaml = (pattern: string) => `'${pattern.replaceAll("'", "''")}'`;

/** Expressions, each with a value of up to 10,000 bytes that makes a backtracking engine despair. */
const catastrophic: [pattern: string, value: string][] = [
  ['(a+)+', `${'a'.repeat(40)}!`],
  ['(a+)+', `${'a'.repeat(9_999)}!`],
  ['(a*)*', `${'a'.repeat(9_999)}!`],
  ['(a|a)*b', 'a'.repeat(10_000)],
  ['(a|ab|b)*c', 'ab'.repeat(5_000)],
  ['([a-z]+)*@', 'a'.repeat(10_000)],
  ['(\\w+\\s?)*', `${'word '.repeat(1_999)}!`],
  ['(.*)*x', `${'x'.repeat(9_999)}y`],
  ['(.*,){11}P', `${'1,'.repeat(4_999)}x`],
  ['\\s*\\s*\\s*x', ' '.repeat(10_000)],
  ['.*.*.*.*=', `${'='.repeat(9_000)}x`],
  ['(x?){2000}y', 'x'.repeat(10_000)],
  ['(?=(a+)+$)a*', `${'a'.repeat(9_999)}!`],
  ['(?<=(a+)+)b', 'a'.repeat(10_000)],
  ['a*(?<!(a+)+)b', 'a'.repeat(10_000)],
  ['(a*)\\1*(a*)\\2*b', 'a'.repeat(10_000)],
  ['([\\q{aa|a}])+b', 'a'.repeat(10_000)],
  ['(\\p{L}+\\p{M}*)+', `${'é'.repeat(4_900)}!`],
  ['[\\w.]+@([\\w\\-]+\\.?)+\\.com', `a@${'a'.repeat(9_990)}!`],
];

describe('the relay goes on', () => {
  test.each(catastrophic)('%s', async (pattern, value) => {
    const relay = await contact({ fields: `[{name: code, pattern: ${yaml(pattern)}}]` });
    const startedAt = performance.now();
    const answers = await Promise.all([relay.send(['code', value]), relay.get('/healthz')]);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(answers.map(({ status }) => status)).toEqual([422, 200]);
    expect(answers[0]?.json).toEqual({ error: 'code: Enter a value in the expected format.' });
    expect(relay.delivered).toEqual([]);
    // Some engines are through in time, and then the answer is theirs.
    const slow = relay.logged.filter(({ event }) => event === 'pattern_too_slow');
    expect(slow.length).toBeLessThanOrEqual(1);
    for (const line of slow)
      expect(line).toEqual({
        level: 'warn',
        event: 'pattern_too_slow',
        request_id: expect.any(String),
        form: 'contact',
        field: 'code',
      });
  });

  test('however many fields have such a pattern, and however many values are sent', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `f${n}`);
    const fields = names.map((name) => `{name: ${name}, pattern: '(a+)+'}`);
    const relay = await contact({ fields: `[${fields}]` });
    const value = `${'a'.repeat(40)}!`;
    const startedAt = performance.now();
    const all = names.flatMap((name) => Array.from({ length: 20 }, (): [string, string] => [name, value]));
    expect((await relay.send(...all)).status).toBe(422);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(relay.logged.filter(({ event }) => event === 'pattern_too_slow')).toHaveLength(1);
  });

  test('when such a form is shown, be it again or from a link', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `f${n}`);
    const relay = await contact({ fields: `[${names.map((name) => `{name: ${name}, pattern: '(a+)+'}`)}]` });
    const value = `${'a'.repeat(40)}!`;
    const sent = names.flatMap((name) => Array.from({ length: 20 }, () => `${name}=${value}`)).join('&');
    const startedAt = performance.now();
    expect((await relay.submit('contact', sent, { 'HX-Request': 'true' })).status).toBe(422);
    expect((await relay.get(`/api/v1/form/contact?${sent.slice(0, 12_000)}`)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  test('when thousands of values each need little', async () => {
    const relay = await contact({
      fields: "[{name: f, pattern: '[^@]+@[^@]+[.][^@]+'}, {name: g, pattern: '(a+)+'}]",
    });
    const startedAt = performance.now();
    for (const body of ['f=a@b.c&'.repeat(8_000), 'g=aaaa&'.repeat(9_000), `${'g=aaaa&'.repeat(8_000)}f=x`])
      expect([200, 422]).toContain((await relay.submit('contact', body)).status);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

test.each<[pattern: string, value: string]>([
  ['(\\w+\\s?)+', 'word '.repeat(2_000)],
  ['(\\w+\\s?)*', 'word'],
  ['[^@]+@[^@]+', `${'a'.repeat(5_000)}@${'b'.repeat(4_000)}`],
  ['.*', 'x'.repeat(10_000)],
  ['(?=.*\\d)(?=.*[a-z]).{8,}', `${'x'.repeat(9_990)}1`],
  ['(\\p{L}|\\p{M}|[ \\-])+', 'Zoë '.repeat(1_900)],
  ['([a-z]+,)*[a-z]+', `${'abc,'.repeat(2_499)}abc`],
])('an honest value of any length still matches %s', async (pattern, value) => {
  const relay = await contact({ fields: `[{name: text, pattern: ${yaml(pattern)}}]` });
  expect((await relay.send(['text', value])).status).toBe(200);
  expect(relay.logged.filter(({ event }) => event === 'pattern_too_slow')).toEqual([]);
});

/** The same answer as JavaScript's, whether somebody watches or not. */
test.each([
  ...[
    'a+b?',
    '(a|b)*',
    '(?:a{2}){1,3}',
    '[\\p{Lu}--[A-Z]]+',
    '[[a-z]&&[aeiou]]+',
    '[\\q{abc|d}]',
    '\\p{RGI_Emoji}',
    '^a$',
    'a\\b.b',
  ],
  ...[
    '(?<x>a)\\k<x>',
    '(a)\\1',
    '(?!b).*',
    '(?<!a)b',
    '\\u{61}\\x61\\u0061',
    '\\{\\}',
    '\\[\\]\\(\\)',
    '[\\]\\)\\(]+',
    '',
    '|a',
    'a|',
    '()',
    '(?:)*',
    'a{0}',
    '(a+)+',
    '.',
  ],
])('%s means what it means in JavaScript', (source) => {
  const regex = new RegExp(`^(?:${source})$`, 'v');
  const values = [
    '',
    'a',
    'b',
    'aa',
    'ab',
    'aab',
    'aaa',
    'aaaa',
    'Ä',
    'A',
    'abc',
    'd',
    'e',
    'a b',
    '{}',
    '[]()',
    '👍🏽',
    '\n',
    '\ud83d',
  ];
  const pattern = new Pattern(source);
  for (const steps of [10_000_000, 0]) {
    const found = values.map((value) => pattern.matches(value, { ...patternBudget(), steps }));
    expect(found).toEqual(values.map((value) => regex.test(value)));
  }
});
