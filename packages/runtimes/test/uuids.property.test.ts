import { expect, test } from 'vitest';
import { createUuids } from '../src/uuids.ts';

test('each is a random UUID, and no two are the same', () => {
  const uuid = createUuids();
  // Several times as many as are made at once.
  const uuids = Array.from({ length: 20_000 }, uuid);
  expect(
    uuids.filter((one) => !/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(one)),
  ).toEqual([]);
  expect(new Set(uuids).size).toBe(uuids.length);
});

test('every bit that is left to chance is one half of the time', () => {
  const uuid = createUuids();
  const count = 10_000;
  const ones = Array(128).fill(0);
  for (let i = 0; i < count; i += 1) {
    Buffer.from(uuid().replaceAll('-', ''), 'hex').forEach((byte, place) => {
      for (let bit = 0; bit < 8; bit += 1) ones[place * 8 + bit] += (byte >> (7 - bit)) & 1;
    });
  }
  // The version, 0100, and the variant, 10.
  const fixed = new Map([
    [48, 0],
    [49, count],
    [50, 0],
    [51, 0],
    [64, count],
    [65, 0],
  ]);
  const wrong = ones.flatMap((one, bit) => {
    const expected = fixed.get(bit);
    // Ten standard deviations.
    const isRight = expected === undefined ? Math.abs(one - count / 2) < 500 : one === expected;
    return isRight ? [] : [[bit, one]];
  });
  expect(wrong).toEqual([]);
});

test('two makers never give the same', () => {
  const [one, other] = [createUuids(), createUuids()];
  const ids = Array.from({ length: 1_000 }, () => [one(), other()]).flat();
  expect(new Set(ids).size).toBe(ids.length);
});
