import type { Effects } from '../base/effects.ts';
import { StoreCounter } from '../counting/counter.ts';
import { createMemoryCounts } from '../counting/stores/memory.ts';

/** Counts of dry runs: in memory, until they are forgotten. */
export interface CountsInMemory {
  readonly openCounter: Effects['openCounter'];
  forget(): void;
}

export function countInMemory(now: Effects['now']): CountsInMemory {
  const create = () => new StoreCounter(createMemoryCounts(), now);
  let counter = create();
  return {
    openCounter: async () => counter,
    forget: () => {
      counter = create();
    },
  };
}
