/** Pressure tells an attack from visitors, in bounded memory, whatever the clock does. */
import { expect, test } from 'vitest';
import { Pressure } from '../../packages/spam/src/proof/memory.ts';

function staged() {
  let now = Date.UTC(2030, 0, 1);
  const pressure = new Pressure();
  return {
    sizeFor: (formId: string, client: string) => pressure.sizeFor(formId, client, now),
    advance: (ms: number) => {
      now += ms;
    },
    countAll: (times: number, client: (index: number) => string | undefined) => {
      for (let index = 0; index < times; index += 1) pressure.count('contact', client(index), now);
    },
  };
}

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
