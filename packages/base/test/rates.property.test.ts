import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/fuzz.ts';
import { heapMb } from '../../../test/support/heap.ts';
import { createRates } from '../src/rates.ts';

const limit = { most: 3, withinMs: 1_000 };

test('every client gets what a list of all moments would say', () => {
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
    runs(10),
  );
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
  // The latest client is still known.
  for (let times = 0; times < 4; times += 1) rates.take('contact\x00299999', { most: 5, withinMs: 600_000 });
  expect(rates.take('contact\x00299999', { most: 5, withinMs: 600_000 })).toHaveProperty('waitMs');
});
