/** What was used once counts no second time, in bounded memory. */
import { expect, test } from 'vitest';
import { createUsedOnce } from '../../src/memory/used_once.ts';

test('each counts once, and again when it is given back', () => {
  const { use, giveBack } = createUsedOnce();
  expect([use('a'), use('a'), use('b')]).toEqual([true, false, true]);
  giveBack('a');
  expect([use('a'), use('a')]).toEqual([true, false]);
});

test('beyond its bound it forgets those first that were used first', () => {
  const { use } = createUsedOnce(3);
  for (const key of ['a', 'b', 'c', 'd']) expect(use(key)).toBe(true);
  expect([use('b'), use('c'), use('d')]).toEqual([false, false, false]);
  expect(use('a')).toBe(true);
});
