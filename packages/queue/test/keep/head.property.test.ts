import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/fuzz.ts';
import { headOf, readHead } from '../../../stores/src/entry.ts';
import type { Queued } from '../../../stores/src/store.ts';

const text = fc.string({ unit: 'binary' });
const time = fc.oneof(
  fc.nat({ max: 8.64e15 }),
  fc.double({ min: 0, max: 8.64e15, noNaN: true }).map(Math.abs),
);
const kept: fc.Arbitrary<Queued> = fc.record({
  id: fc.tuple(fc.uuid(), fc.nat()).map(([id, place]) => `${id}-${place}`),
  form: text,
  output: fc.record({ place: fc.nat(), of: fc.nat(), type: text, fingerprint: text }),
  receivedAt: time,
  keptAt: time,
  tries: fc.nat(),
  why: fc.option(fc.record({ code: text, words: text }), { nil: undefined }),
  content: fc.constant(new Uint8Array()),
});

test('a head is read as it was written, and nothing after it', () =>
  fc.assert(
    fc.property(kept, (one) => {
      const { content: _, ...head } = one;
      expect(readHead({ ...JSON.parse(JSON.stringify(headOf(one))), newer: 1 })).toEqual(head);
    }),
    runs(30),
  ));

test('bytes that are no head are none, and nothing throws', () =>
  fc.assert(
    fc.property(kept, fc.jsonValue(), fc.nat(), (one, other, at) => {
      expect(readHead(other)).toBeUndefined();
      const { content: _, why: __, ...head } = one;
      const keys = Object.keys(head);
      const key = keys[at % keys.length] ?? 'id';
      expect(readHead({ ...head, [key]: undefined })).toBeUndefined();
      const given = readHead({ ...head, [key]: other });
      if (given) expect(typeof given[key as 'id']).toBe(typeof head[key as 'id']);
    }),
    runs(30),
  ));

test.each([
  ['id', '../x'],
  ['id', 'a\r\nb'],
  ['id', ''],
  ['id', 'x'.repeat(201)],
  ['keptAt', 1e300],
  ['keptAt', -1],
  ['receivedAt', '0'],
  ['tries', 1.5],
  ['why', 'because'],
  ['why', null],
])('a head whose %s is %j is none', (key, value) => {
  const [one] = fc.sample(kept, { numRuns: 1, seed: 1 });
  expect(readHead({ ...(one as Queued), [key]: value })).toBeUndefined();
});
