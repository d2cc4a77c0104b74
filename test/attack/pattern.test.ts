/**
 * The owner writes a `pattern`, the visitor its value: together they could take years to match. The relay
 * stops such a match early.
 */
import { contact, httpSink, relayWith } from '../support/index.ts';

const yaml = (pattern: string) => `'${pattern.replaceAll("'", "''")}'`;

/** Expressions, each with a value of up to 10,000 bytes that causes catastrophic backtracking. */
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
  ['(?=(a+)+$)a*', `${'a'.repeat(9_999)}!`],
  ['(?<=(a+)+)b', 'a'.repeat(10_000)],
  ['a*(?<!(a+)+)b', 'a'.repeat(10_000)],
  ['(\\p{L}+\\p{M}*)+', `${'é'.repeat(4_900)}!`],
  ['[\\w.]+@([\\w\\-]+\\.?)+\\.com', `a@${'a'.repeat(9_990)}!`],
];

describe('the relay keeps answering', () => {
  test.each(catastrophic)('%s', async (pattern, value) => {
    const relay = await contact({ fields: `[{name: code, pattern: ${yaml(pattern)}}]` });
    const startedAt = performance.now();
    const answers = await Promise.all([relay.send(['code', value]), relay.get('/healthz')]);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(answers.map(({ status }) => status)).toEqual([422, 200]);
    expect(answers[0]?.json).toEqual({ error: 'code: Enter a value in the expected format.' });
    expect(relay.delivered).toEqual([]);
    expect(relay.logged.filter(({ event }) => event === 'pattern_too_slow')).toEqual([]);
  });

  const hostile = `${'a'.repeat(40)}!`;

  test.each(['(a+)+', '(?=a)(a+)+'])('however many fields have %s, and values are sent', async (pattern) => {
    const names = Array.from({ length: 30 }, (_, n) => `f${n}`);
    const relay = await contact({
      fields: `[${names.map((name) => `{name: ${name}, pattern: '${pattern}'}`)}]`,
    });
    const startedAt = performance.now();
    const all = names.flatMap((name) => Array.from({ length: 20 }, (): [string, string] => [name, hostile]));
    expect((await relay.send(...all)).status).toBe(422);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(relay.logged.filter(({ event }) => event === 'pattern_too_slow')).toEqual([]);
  });

  test.each(['(a+)+', '(?=a)(a+)+'])('when a form with %s is shown, also from a link', async (pattern) => {
    const names = Array.from({ length: 30 }, (_, n) => `f${n}`);
    const relay = await contact({
      fields: `[${names.map((name) => `{name: ${name}, pattern: '${pattern}'}`)}]`,
    });
    const sent = names.flatMap((name) => Array.from({ length: 20 }, () => `${name}=${hostile}`)).join('&');
    const startedAt = performance.now();
    expect((await relay.submit('contact', sent, { 'HX-Request': 'true' })).status).toBe(422);
    expect((await relay.get(`/api/v1/form/contact?${sent.slice(0, 12_000)}`)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

/** For each, a value that would take a backtracking engine years. */
const inSeries: [pattern: string, value: string][] = [
  ['(a+)+', `${'a'.repeat(40)}!`],
  ['([a-zA-Z0-9_.\\-])+@(([a-zA-Z0-9\\-])+\\.)+([a-zA-Z0-9]{2,4})+', `a@a.${'a'.repeat(60)}!`],
  ['(?=.*\\d)([a\\d]+)+', `1${'a'.repeat(40)}!`],
];

test.each(inSeries)('a series of hostile values delays nobody: %s', async (pattern, value) => {
  const form = (code: string) =>
    `{fields: [{name: code, pattern: ${yaml(code)}}], outputs: [{type: http_post, url: $sink}]}`;
  const sink = await httpSink();
  const forms = `forms: {attacked: ${form(pattern)}, other: ${form('(?=b)(b+)+')}}`;
  const relay = await relayWith({ config: forms.replaceAll('$sink', `"${sink.origin}/"`) });
  const startedAt = performance.now();
  const attack = Array.from({ length: 150 }, () => relay.submit('attacked', [['code', value]]));
  const other = await Promise.all([relay.submit('other', [['code', 'bbb']]), relay.get('/healthz')]);
  expect(other.map(({ status }) => status)).toEqual([200, 200]);
  for (const { status } of await Promise.all(attack)) expect(status).toBe(422);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test('a value that cannot be checked in time is accepted, and the log says so', async () => {
  const relay = await contact({ fields: "[{name: code, pattern: '[ab]*a[ab]{2000}'}]" });
  const value = Array.from({ length: 10_000 }, (_, n) => 'ab'[((n * n * 7) >> 3) % 2]).join('');
  expect((await relay.send(['code', `${value.slice(1)}!`])).status).toBe(200);
  const slow = relay.logged.filter(({ event }) => event === 'pattern_too_slow');
  expect(slow).toMatchObject([{ level: 'warn', form: 'contact', field: 'code' }]);
});
