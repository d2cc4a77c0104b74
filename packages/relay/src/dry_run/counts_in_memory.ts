import type { Effects } from '../base/effects.ts';
import { StoreCounter } from '../counting/counter.ts';
import { createMemoryCounts } from '../counting/stores/memory.ts';

/** Counts of dry runs: in memory, until they are forgotten. */
export interface CountsInMemory extends Pick<Effects, 'openCounter' | 'openTexts'> {
  forget(): void;
}

export function countInMemory(now: Effects['now']): CountsInMemory {
  const create = () => {
    const store = createMemoryCounts();
    return { store, counter: new StoreCounter(store, now) };
  };
  let counts = create();
  return {
    openCounter: async () => counts.counter,
    openTexts: async () => counts.store,
    forget: () => {
      counts = create();
    },
  };
}
