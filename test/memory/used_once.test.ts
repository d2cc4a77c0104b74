/** What was used once counts no second time, in bounded memory. */
import { expect, test } from 'vitest';
import { createUsedOnce } from '../../packages/relay/src/memory/used_once.ts';

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

test('what was given back is forgotten in its new turn, and the bound holds', () => {
  const { use, giveBack } = createUsedOnce(2);
  for (const key of ['a', 'b']) use(key);
  giveBack('a');
  for (const key of ['a', 'c']) expect(use(key)).toBe(true);
  // Of a, b and c, it was b that was used first.
  expect([use('a'), use('c')]).toEqual([false, false]);
  expect(use('b')).toBe(true);
  for (let turn = 0; turn < 1_000; turn += 1) expect(use(`more ${turn}`)).toBe(true);
  expect([use('more 999'), use('more 998')]).toEqual([false, false]);
  expect(use('more 0')).toBe(true);
});
