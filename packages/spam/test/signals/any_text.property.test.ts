import fc from 'fast-check';
import { startCpuClock } from '../../../../test/support/cpu_clock.ts';
import { property } from '../../../../test/support/fuzz.ts';
import type { Signal, SignalContext } from '../../src/signals/signal.ts';
import { contactForm, ofText, seenOf } from './samples.ts';

const form = await contactForm();
const signals: readonly Signal[] = (form.provided.get('doubt')?.signals ?? []).filter(({ name }) =>
  ofText.has(name),
);
const nowhere = {} as SignalContext;

const names = ['name', 'email', 'phone', 'company', 'subject', 'message'];
const scoreOf = (signal: Signal, fields: Record<string, string>) =>
  signal.score(seenOf(form, { language: 'de', fields }), nowhere);

const bits = fc.constantFrom(
  ...'a,your website,http://a.example,[url=,<a href=,{Hi|Hey},{{name}},\u{1d400},ваш,我们,\ufdfa,\u0301,\ud800,  ,\n,%,://,www.,?d=a.de'.split(
    ',',
  ),
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(bits, { maxLength: 60 }).map((all) => all.join('')),
);
const submission = fc.dictionary(fc.constantFrom(...names), text);

describe.each(signals.map((signal) => [signal.name, signal] as const))('%s', (_, signal) => {
  property('scores between 0 and the full weight, the same each time', 30, [submission], (fields) => {
    const found = scoreOf(signal, fields);
    expect(scoreOf(signal, fields)).toEqual(found);
    if (!found || !('score' in found)) return;
    expect(found.score).toBeGreaterThan(0);
    expect(found.score).toBeLessThanOrEqual(1);
  });
});

/** Each text is as long as a value may be, in bytes. */
const hostile: readonly (readonly [string, string])[] = [
  ['a phrase that starts over and over', 'we are a '.repeat(1_111)],
  ['marks to be put in order', `a${'\u0323\u0301\u0302\u0327'.repeat(1_250)}`],
  ['characters that stand for eighteen', '\ufdfa'.repeat(3_333)],
  ['words of one letter', '我们'.repeat(1_666)],
  ['links', 'http://a.b '.repeat(909)],
  ['links that never begin', 'www.'.repeat(2_500)],
  ['tags that never end', '<a '.repeat(3_333)],
  ['tags around nothing', '<a href=http://'.repeat(666)],
  ['addresses within addresses', 'http://a.b?c=http://'.repeat(500)],
  ['a host of many names', `http://${'a.'.repeat(4_996)}`],
  ['queries', '/?d='.repeat(2_500)],
  ['two alphabets', 'aб'.repeat(3_333)],
  ['one word', 'q'.repeat(10_000)],
];

/** The minimum CPU time of several runs, in milliseconds, because a run may include a garbage collection. */
function quickest(fields: Record<string, string>): number {
  const times = Array.from({ length: 12 }, () => {
    const seen = seenOf(form, { language: 'de', fields });
    const cpuMs = startCpuClock();
    for (const signal of signals) signal.score(seen, nowhere);
    return cpuMs();
  });
  return Math.min(...times);
}

describe('hostile text in every field takes milliseconds', () => {
  test.each(hostile)('%s', (_, text) => {
    const all = Object.fromEntries(names.map((name) => [name, text]));
    expect(quickest(all)).toBeLessThan(50);
  });

  test.each(hostile)('%s: eight times as much text takes at most twenty times as long', (_, text) => {
    const part = quickest({ message: text.slice(0, text.length / 8) });
    expect(quickest({ message: text })).toBeLessThan(20 * Math.max(part, 0.05));
  });
});
