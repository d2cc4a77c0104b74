import type { Counter, CountPlace } from '../base/counts.ts';
import type { StoreWorld } from '../keeping/stores/index.ts';
import { StoreCounter } from './counter.ts';
import { openCounts } from './stores/index.ts';

/** The counters of a process, one for each place: who counts at one place has to count in turn. */
export function createCounters(world: StoreWorld) {
  const opened = new Map<string, Promise<StoreCounter>>();
  return {
    at: (place: CountPlace): Promise<Counter> => {
      const known = opened.get(place.name);
      if (known) return known;
      const opening = openCounts(place, world).then((store) => new StoreCounter(store, world.now));
      opened.set(place.name, opening);
      opening.catch(() => opened.delete(place.name));
      return opening;
    },
    close: async () => {
      for (const one of opened.values()) await (await one).close();
    },
  };
}
