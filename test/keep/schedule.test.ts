import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextAttempt, nextTry } from '../../packages/relay/src/keeping/retry_policy.ts';

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

  test('later by chance, by no more than a tenth of the wait', () => {
    fc.assert(
      fc.property(fc.nat({ max: 60 * day }), fc.double({ min: 0, max: 1, noNaN: true }), (age, chance) => {
        const now = keptAt + age;
        const soonest = nextTry(keptAt, now, first);
        const due = nextTry(keptAt, now, () => chance);
        expect(due).toBeGreaterThanOrEqual(soonest);
        expect(due - now).toBeLessThanOrEqual((soonest - now) * 1.1 + 1);
        expect(due).toBeGreaterThan(now);
      }),
    );
  });

  test('for the last time when its time is over', () => {
    expect(triesUntil(20 * minute, first, { forMs: 20 * minute })).toEqual([1, 5, 15, 20]);
    expect(triesUntil(14 * day, first, { forMs: 14 * day }).at(-1)).toBe(14 * 1_440);
  });

  test('not before the other side wants it, but within a day', () => {
    const wait = (retryAfterMs: number) => nextTry(keptAt, keptAt, first, { retryAfterMs }) - keptAt;
    expect(wait(0)).toBe(minute);
    expect(wait(10_000)).toBe(minute);
    expect(wait(2 * hour)).toBe(2 * hour);
    expect(wait(Number.MAX_SAFE_INTEGER)).toBe(day);
    expect(wait(Infinity)).toBe(day);
  });

  test('within a day and a tenth of one, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.nat({ max: 4e12 }), fc.nat({ max: 4e12 }), (kept, now) => {
        for (const due of [nextTry(kept, now, () => 1), nextAttempt(kept, now, () => 1)]) {
          expect(due).toBeGreaterThan(now);
          expect(due - now).toBeLessThanOrEqual(1.1 * day + 1);
        }
      }),
    );
  });
});

test('what could not be tried loses a tenth of what it has waited, and a minute at least', () => {
  const wait = (age: number) => nextAttempt(keptAt, keptAt + age, first) - keptAt - age;
  expect([0, 5 * minute, 10 * hour, 5 * day, 100 * day].map(wait)).toEqual([
    minute,
    minute,
    hour,
    12 * hour,
    day,
  ]);
});
