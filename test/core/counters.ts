/** Counters of packages/capacity, opened by name. */
import { type CounterPlace, openCounterStore } from '../../packages/capacity/src/counters/place.ts';
import type { StoreContext } from '../../packages/queue/src/stores/index.ts';

export const openCounts = (place: CounterPlace, { readEnv, aws, binding }: StoreContext) =>
  openCounterStore(place, {
    env: readEnv,
    aws: async () => (typeof aws === 'function' ? aws() : aws),
    binding,
  });
