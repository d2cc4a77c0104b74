/** Lists with a million lines, and lists with hostile lines. */
import { startCpuClock } from '../../../../test/support/cpu_clock.ts';
import type { ListKind } from '../../src/lists/read_list.ts';
import { wordsIn } from '../../src/words.ts';
import { readList } from './mistakes_as_codes.ts';

const lines = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join('\n');

test('reading a million domains lets other tasks run in between', { timeout: 60_000 }, async () => {
  const text = lines(1_000_000, (index) => `d${index.toString(36)}.example`);
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  const read = await readList('domains', text);
  clearInterval(timer);
  if (!read.ok) throw new Error('a line was refused');
  expect(read.value.entries).toBe(1_000_000);
  // The list yields every 1,000 lines, unless the machine is busy.
  expect(turns).toBeGreaterThan(100);
  expect(read.value.list.has(`www.d${(999_999).toString(36)}.example`)).toBe(true);
  expect(read.value.list.has('d.another.example')).toBe(false);
});

/**
 * How much longer the work takes on 100 times as much text: 1 if the time is linear, 100 if it is quadratic.
 * Measures the CPU time of this process, so other load does not matter.
 */
async function growth(work: (times: number) => unknown, most = 100_000): Promise<number> {
  const best = async (times: number, count: number) => {
    let least = Infinity;
    for (let round = 0; round < 5; round += 1) {
      const cpuMs = startCpuClock();
      for (let index = 0; index < count; index += 1) await work(times);
      least = Math.min(least, cpuMs());
    }
    return least;
  };
  return (await best(most, 1)) / (await best(most / 100, 100));
}

test.each<[string, ListKind, string]>([
  ['dots', 'domains', '.'],
  ['labels', 'domains', 'a.'],
  ['hyphens', 'domains', '-'],
  ['at signs', 'addresses', '@'],
  ['spaces before a mark', 'words', ' '],
  ['marks', 'words', 'a#'],
  ['accents', 'words', '\u0301'],
  ['line breaks', 'words', '\n'],
  ['carriage returns', 'words', '\r'],
])('hostile lines take linear time: %s', async (_, kind, unit) =>
  expect(await growth((times) => readList(kind, unit.repeat(times)))).toBeLessThan(10),
);

test('hostile lines take linear time: texts in which every word begins a phrase', async () => {
  const phrases = Array.from({ length: 7 }, (_, index) => `${'a '.repeat(index + 1)}b`);
  const read = await readList('words', phrases.join('\n'));
  if (!read.ok) throw new Error('a phrase was refused');
  const { list } = read.value;
  expect(await growth((times) => list.count('a '.repeat(times)))).toBeLessThan(10);
});

// The fourth is one character that expands to 18 letters.
test.each([
  ['a', 100_000],
  ['\u0301', 100_000],
  ['発', 100_000],
  ['ﷺ', 10_000],
  ['\u00ad', 100_000],
  ['\ud83d', 100_000],
])('hostile lines take linear time: words of many %j', async (unit, most) =>
  expect(await growth((times) => wordsIn(unit.repeat(times)), most)).toBeLessThan(10),
);
