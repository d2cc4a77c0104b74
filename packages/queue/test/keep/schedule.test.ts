import { describe, expect, test } from 'vitest';
import { nextAttempt, nextTry } from '../../src/retry_policy.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const keptAt = 1_700_000_000_000;
const first = () => 0;

/** Ages at which one is tried that nobody takes, in minutes. */
function triesUntil(ageMs: number, random = first, rule = {}): number[] {
  const ages: number[] = [];
  for (let now = keptAt; now - keptAt < ageMs; ) {
    now = nextTry(keptAt, now, random, rule);
    ages.push((now - keptAt) / minute);
  }
  return ages;
}

describe('when it is tried', () => {
  test('after 1, 5 and 15 minutes, 1, 3, 6 and 12 hours, then daily', () => {
    expect(triesUntil(3 * day)).toEqual([1, 5, 15, 60, 180, 360, 720, 1_440, 2_880, 4_320]);
  });

  test('not before the other side wants it, but within a day', () => {
    const wait = (retryAfterMs: number) => nextTry(keptAt, keptAt, first, { retryAfterMs }) - keptAt;
    expect(wait(0)).toBe(minute);
    expect(wait(10_000)).toBe(minute);
    expect(wait(2 * hour)).toBe(2 * hour);
    expect(wait(Number.MAX_SAFE_INTEGER)).toBe(day);
    expect(wait(Infinity)).toBe(day);
  });
});

test('a delivery that could not be tried loses a tenth of what it has waited, and a minute at least', () => {
  const wait = (age: number) => nextAttempt(keptAt, keptAt + age, first) - keptAt - age;
  expect([0, 5 * minute, 10 * hour, 5 * day, 100 * day].map(wait)).toEqual([
    minute,
    minute,
    hour,
    12 * hour,
    day,
  ]);
});
