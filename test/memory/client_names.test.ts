/** The log names a client such that its owner sees what one did in a day, and nobody can follow it from day to day. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createMemory } from '../../packages/relay/src/memory/memory.ts';

function staged(formTokenSecret = 'of this relay') {
  let now = Date.UTC(2030, 0, 1, 23, 59);
  const memory = createMemory({ now: () => now, uuid: randomUUID }, { formTokenSecret });
  return {
    nameOf: memory.nameOf,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

test('it has one name for a day, which tells nothing of it, and another the day after', () => {
  const { nameOf, advance } = staged();
  const name = nameOf('192.0.2.1');
  expect(name).toMatch(/^[0-9a-f]{12}$/);
  expect(nameOf('192.0.2.2')).not.toBe(name);
  expect(nameOf('192.0.2.1')).toBe(name);
  advance(59_000);
  expect(nameOf('192.0.2.1')).toBe(name);
  advance(1_000);
  expect(nameOf('192.0.2.1')).not.toBe(name);
});

test('copies of the relay that share a secret share its names, and others do not', () => {
  const name = staged().nameOf('192.0.2.1');
  expect(staged().nameOf('192.0.2.1')).toBe(name);
  expect(staged('of another').nameOf('192.0.2.1')).not.toBe(name);
});

test('without a secret, names are of what nobody can guess', () => {
  const { nameOf } = staged('');
  const name = nameOf('192.0.2.1');
  expect(nameOf('192.0.2.1')).toBe(name);
  expect(staged('').nameOf('192.0.2.1')).not.toBe(name);
});
