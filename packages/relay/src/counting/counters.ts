import type { Counter, CountPlace, CountStore } from '../base/counts.ts';
import type { StoreWorld } from '../keeping/stores/index.ts';
import { StoreCounter } from './counter.ts';
import { openCounts } from './stores/index.ts';

interface Opened {
  readonly store: CountStore;
  readonly counter: StoreCounter;
}

/** The counters of a process, one for each place: who counts at one place has to count in turn. */
export function createCounters(world: StoreWorld) {
  const opened = new Map<string, Promise<Opened>>();
  const open = (place: CountPlace): Promise<Opened> => {
    const known = opened.get(place.name);
    if (known) return known;
    const opening = openCounts(place, world).then((store) => ({
      store,
      counter: new StoreCounter(store, world.now),
    }));
    opened.set(place.name, opening);
    opening.catch(() => opened.delete(place.name));
    return opening;
  };
  return {
    at: async (place: CountPlace): Promise<Counter> => (await open(place)).counter,
    texts: async (place: CountPlace): Promise<CountStore> => (await open(place)).store,
    close: async () => {
      for (const one of opened.values()) await (await one).store.close();
    },
  };
}
