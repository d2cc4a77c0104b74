import type { Keeper } from '../form.ts';
import type { World } from '../keeping/attempt.ts';
import { KeptDeliveries } from '../keeping/kept_deliveries.ts';
import { createMemoryStore } from '../keeping/stores/memory.ts';

/** Kept deliveries of a dry run: in memory, and tried on request. */
export interface KeptInMemory {
  readonly keeper: () => Promise<Keeper>;
  /** Tries all that are due. */
  tryDue(): Promise<void>;
  /** Tries one at any time, whatever failed at its host before. */
  retry(id: string): Promise<void>;
  forget(): Promise<void>;
  /** The time of the next due delivery after `now`, in milliseconds since the epoch; `undefined` if there is none. */
  nextAfter(now: number): Promise<number | undefined>;
}

export function keepInMemory(world: World): KeptInMemory {
  const { effects } = world;
  const store = createMemoryStore(effects.now);
  // Without jitter, so that due times are predictable.
  const inMemory = { ...effects, openStore: async () => store, random: () => 0 };
  const create = () => new KeptDeliveries({ ...world, effects: inMemory });
  const keeping = create();
  const all = () => true;
  return {
    keeper: async () => keeping,
    tryDue: async () => {
      // In sequence: a failure at a host affects later deliveries to it.
      for (const claim of await store.claim(Infinity, 0)) await keeping.attempt(claim);
    },
    retry: async (id) => {
      // A new instance remembers no hosts.
      for await (const claim of store.take(({ kept }) => kept.id === id)) await create().attempt(claim);
    },
    forget: async () => {
      for await (const claim of store.take(all)) await claim.done();
    },
    nextAfter: async (now) => {
      let next: number | undefined;
      for await (const { dueAt } of store.list()) {
        if (dueAt !== undefined && dueAt > now) next = Math.min(next ?? dueAt, dueAt);
      }
      return next;
    },
  };
}
