/** Pressure tells an attack from visitors, in bounded memory, whatever the clock does. */
import { expect, test } from 'vitest';
import { createPressure } from '../../packages/relay/src/memory/pressure.ts';

function staged() {
  let now = Date.UTC(2030, 0, 1);
  const pressure = createPressure(() => now);
  return {
    ...pressure,
    advance: (ms: number) => {
      now += ms;
    },
    countAll: (times: number, client: (index: number) => string | undefined) => {
      for (let index = 0; index < times; index += 1) pressure.count('contact', client(index));
    },
  };
}

test('a client’s puzzles double with what it sends, up to a bound, and halve again', () => {
  const { countAll, sizeFor, advance } = staged();
  const sizes = [4, 1, 3, 8, 16, 1_000].map((times) => {
    // At once, so that the form’s own share stays what it is.
    countAll(times, () => '192.0.2.1');
    return sizeFor('contact', '192.0.2.1');
  });
  expect(sizes).toEqual([0, 100_000, 200_000, 400_000, 800_000, 1_600_000]);
  advance(600_000 * 6);
  expect(sizeFor('contact', '192.0.2.1')).toBe(400_000);
  advance(600_000 * 24);
  expect(sizeFor('contact', '192.0.2.1')).toBe(0);
});

test('a flood from many addresses makes everybody’s puzzles grow, but no further than nobody notices', () => {
  const { countAll, sizeFor, advance } = staged();
  countAll(20, (index) => `192.0.2.${index}`);
  expect(sizeFor('contact', '198.51.100.1')).toBe(0);
  countAll(100_000, (index) => `2001:db8:${index.toString(16)}::`);
  expect(sizeFor('contact', '198.51.100.1')).toBe(400_000);
  expect(sizeFor('contact', undefined)).toBe(400_000);
  expect(sizeFor('other', '198.51.100.1')).toBe(0);
  // Within the quarter of an hour after it ended.
  advance(15 * 60_000);
  expect(sizeFor('contact', '198.51.100.1')).toBe(0);
});

test('clients who are not known count for the form alone', () => {
  const { countAll, sizeFor } = staged();
  countAll(10, () => undefined);
  expect(sizeFor('contact', undefined)).toBe(0);
});

test('what is taken back was never counted', () => {
  const { count, sizeFor } = staged();
  for (let index = 0; index < 100; index += 1) count('contact', '192.0.2.1')();
  expect(sizeFor('contact', '192.0.2.1')).toBe(0);
});

test('what is taken back late takes back no more than is left of it', () => {
  const { count, countAll, sizeFor, advance } = staged();
  const undo = Array.from({ length: 8 }, () => count('contact', '192.0.2.1'));
  advance(600_000);
  countAll(4, () => '192.0.2.1');
  expect(sizeFor('contact', '192.0.2.1')).toBe(200_000);
  for (const one of undo.slice(0, 6)) one();
  // 4 of then are left of 8; with 6 taken back, it is 1 of them, and the 4 of now.
  expect(sizeFor('contact', '192.0.2.1')).toBe(100_000);
});

test('a clock that jumps makes no number infinite, and nobody wait for ever', () => {
  const { countAll, sizeFor, advance } = staged();
  countAll(100, () => '192.0.2.1');
  advance(-86_400_000);
  expect(sizeFor('contact', '192.0.2.1')).toBe(1_600_000);
  countAll(1, () => '192.0.2.1');
  // From here it is forgotten by the clock as it is now.
  advance(600_000 * 24);
  expect(sizeFor('contact', '192.0.2.1')).toBe(0);
  advance(Number.MAX_SAFE_INTEGER / 2);
  expect(sizeFor('contact', '192.0.2.1')).toBe(0);
  countAll(1, () => '192.0.2.1');
  expect(sizeFor('contact', '192.0.2.1')).toBe(0);
});

test('who did not come for two hours is forgotten, however often they came', () => {
  const { countAll, sizeFor, advance } = staged();
  countAll(20_000, () => '192.0.2.1');
  countAll(20_000, () => '192.0.2.2');
  advance(7_199_999);
  // Of 20,000 less than 5 are left.
  countAll(1, () => '192.0.2.2');
  expect(sizeFor('contact', '192.0.2.1')).toBe(100_000);
  advance(1);
  countAll(1, () => '192.0.2.3');
  expect(sizeFor('contact', '192.0.2.1')).toBe(0);
  expect(sizeFor('contact', '192.0.2.2')).toBe(100_000);
});

test('20,000 clients are remembered, and those forgotten first that came longest ago', () => {
  const { countAll, sizeFor } = staged();
  const address = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
  const busy = 400_000;
  // More than of all together, so that what is asked for is the client's own.
  countAll(40, () => '192.0.2.1');
  countAll(19_999, address);
  expect(sizeFor('contact', '192.0.2.1')).toBeGreaterThan(busy);
  countAll(1, () => '192.0.2.2');
  expect(sizeFor('contact', '192.0.2.1')).toBe(busy);
});
