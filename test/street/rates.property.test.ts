import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRates } from '../../packages/relay/src/memory/rates.ts';
import { runs } from '../support/fuzz.ts';
import { heapMb } from '../support/heap.ts';

const limit = { most: 3, withinMs: 1_000 };

test('whoever comes gets what a list of all moments would say', () => {
  const steps = fc.array(
    fc.record({ afterMs: fc.nat(600), client: fc.constantFrom('a', 'b'), isTakenBack: fc.boolean() }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (all) => {
      let at = 1_000_000;
      const rates = createRates(() => at);
      const came: { client: string; at: number }[] = [];
      for (const { afterMs, client, isTakenBack } of all) {
        at += afterMs;
        const recent = came.filter((one) => one.client === client && one.at > at - limit.withinMs);
        const taken = rates.take(client, limit);
        if (recent.length >= limit.most) {
          expect(taken).toEqual({ waitMs: (recent[0]?.at ?? 0) + limit.withinMs - at });
        } else if ('undo' in taken) {
          if (isTakenBack) taken.undo();
          else came.push({ client, at });
        } else {
          expect.fail('there was room');
        }
      }
    }),
    runs(100),
  );
});

test('what is taken back late takes back one, and once it is forgotten nothing', () => {
  let at = 0;
  const rates = createRates(() => at);
  const first = rates.take('a', { most: 1, withinMs: 1_000 });
  expect(rates.take('a', { most: 1, withinMs: 1_000 })).toEqual({ waitMs: 1_000 });
  if ('undo' in first) first.undo();
  expect(rates.take('a', { most: 1, withinMs: 1_000 })).toHaveProperty('undo');
  at = 10_000;
  if ('undo' in first) first.undo();
  expect(rates.take('a', { most: 1, withinMs: 1_000 })).toHaveProperty('undo');
});

test('a clock that is set back locks nobody out', () => {
  let at = 1_000_000_000;
  const rates = createRates(() => at);
  for (let times = 0; times < 3; times += 1) rates.take('a', limit);
  expect(rates.take('a', limit)).toHaveProperty('waitMs');
  at -= 500_000_000;
  expect(rates.take('a', limit)).toHaveProperty('undo');
});

test('of a hundred thousand clients, each has what the limit says and no more', () => {
  let at = 1_000_000;
  const rates = createRates(() => at);
  const taken = [0, 0, 0, 0, 0, 0, 0];
  for (const [round] of taken.entries()) {
    for (let client = 0; client < 100_000; client += 1) {
      at += 0.2;
      if ('undo' in rates.take(`contact\0${client}`, { most: 5, withinMs: 600_000 }))
        taken[round] = (taken[round] ?? 0) + 1;
    }
  }
  expect(taken).toEqual([100_000, 100_000, 100_000, 100_000, 100_000, 0, 0]);
});

test('however many come, memory is bounded', () => {
  let at = 1_000_000;
  const rates = createRates(() => at);
  const before = heapMb();
  let most = 0;
  for (let client = 0; client < 300_000; client += 1) {
    at += 0.2;
    rates.take(`contact\0${client}`, { most: 5, withinMs: 600_000 });
    if (client % 100_000 === 99_999) most = Math.max(most, heapMb() - before);
  }
  expect(most).toBeLessThan(45);
  // Whoever came last is still known.
  for (let times = 0; times < 4; times += 1) rates.take('contact\x00299999', { most: 5, withinMs: 600_000 });
  expect(rates.take('contact\x00299999', { most: 5, withinMs: 600_000 })).toHaveProperty('waitMs');
});

test('what is older than the window is forgotten while others come', () => {
  let at = 0;
  const rates = createRates(() => at);
  const before = heapMb();
  for (let client = 0; client < 90_000; client += 1) rates.take(`contact\0${client}`, limit);
  expect(heapMb() - before).toBeGreaterThan(5);
  for (let times = 0; times < 3; times += 1) {
    at += limit.withinMs;
    rates.take('another', limit);
  }
  expect(heapMb() - before).toBeLessThan(3);
});

test('a limit that was lowered lets nobody in too early', () => {
  let at = 0;
  const rates = createRates(() => at);
  for (; at < 300; at += 100) rates.take('a', limit);
  expect(rates.take('a', { ...limit, most: 1 })).toEqual({ waitMs: 900 });
});

test('there is room again as soon as the window is over', () => {
  let at = 0;
  const rates = createRates(() => at);
  rates.take('a', { ...limit, most: 1 });
  at = 999;
  expect(rates.take('a', { ...limit, most: 1 })).toEqual({ waitMs: 1 });
  at = 1_000;
  expect(rates.take('a', { ...limit, most: 1 })).toHaveProperty('undo');
});

test('who comes often fills it, too: after a million moments nobody is remembered', () => {
  const rates = createRates(() => 0);
  const often = { most: 20, withinMs: 600_000 };
  const once = { most: 1, withinMs: 600_000 };
  const come = (first: number, last: number) => {
    for (let client = first; client < last; client += 1) {
      for (let times = 0; times < 20; times += 1) rates.take(`contact\0${client}`, often);
    }
  };
  for (const client of ['one', 'another']) rates.take(client, once);
  come(0, 49_000);
  expect(rates.take('one', once)).toHaveProperty('waitMs');
  come(49_000, 51_000);
  expect(rates.take('another', once)).toHaveProperty('undo');
});

test('who asks on while it waits is remembered, however many others come', () => {
  const rates = createRates(() => 0);
  const limit = { most: 1, withinMs: 1_000 };
  rates.take('a', limit);
  for (let wave = 0; wave < 3; wave += 1) {
    for (let client = 0; client < 100_000; client += 1) rates.take(`${wave} ${client}`, limit);
    expect(rates.take('a', limit)).toEqual({ waitMs: 1_000 });
  }
});
