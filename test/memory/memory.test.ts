/** What a process remembers is one, whichever part of it asks. */
import { expect, test } from 'vitest';
import { createMemory } from '../../packages/relay/src/memory/memory.ts';

test('each part is made once, when it is first asked for', () => {
  const memory = createMemory({ now: () => 4_711, uuid: () => '' }, { formTokenSecret: 'x' });
  for (const part of ['rates', 'proofs', 'pressure'] as const) {
    expect(memory[part]).toBeDefined();
    expect(memory[part]).toBe(memory[part]);
  }
  const made: number[] = [];
  const make = (now: () => number) => ({ at: made.push(now()) });
  const first = memory.late('first', make);
  expect(memory.late('first', make)).toBe(first);
  expect(memory.late('second', make)).not.toBe(first);
  expect(made).toEqual([4_711, 4_711]);
});
