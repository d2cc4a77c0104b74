import type { Keeper } from '../form.ts';
import type { World } from '../keeping/attempt.ts';
import { KeptDeliveries } from '../keeping/kept_deliveries.ts';
import { createMemoryStore } from '../keeping/stores/memory.ts';

/** What is kept in a run that leaves nothing behind: in memory, and tried when somebody asks for it. */
export interface KeptHere {
  readonly keeper: () => Promise<Keeper>;
  /** Tries what is due by now. */
  tryDue(): Promise<void>;
  /** Tries one whatever its time, and whatever happened to others at its host. */
  retry(id: string): Promise<void>;
  forget(): Promise<void>;
  /** When the next one is due after this moment, in milliseconds since the epoch; `undefined` where none will be. */
  nextAfter(now: number): Promise<number | undefined>;
}

export function keptHere(world: World): KeptHere {
  const { effects, config } = world;
  const store = createMemoryStore(effects.now);
  // What is due in a minute is due in a minute.
  const inMemory = { ...effects, openStore: async () => store, random: () => 0 };
  const create = () => new KeptDeliveries({ ...world, effects: inMemory });
  const keeping = create();
  const isSealed = () => (config.current?.keep?.sealTo.length ?? 0) > 0;
  const all = () => true;
  return {
    keeper: async () => keeping,
    tryDue: async () => {
      if (isSealed()) return;
      // One after the other: what the first finds out about its host holds for the next.
      for (const claim of await store.claim(Infinity, 0)) await keeping.attempt(claim);
    },
    retry: async (id) => {
      if (isSealed()) return;
      // Another one remembers nothing of the hosts.
      for await (const claim of store.take(({ kept }) => kept.id === id)) await create().attempt(claim);
    },
    forget: async () => {
      for await (const claim of store.take(all)) await claim.done();
    },
    nextAfter: async (now) => {
      let next: number | undefined;
      if (isSealed()) return next;
      for await (const { dueAt } of store.list()) {
        if (dueAt !== undefined && dueAt > now) next = Math.min(next ?? dueAt, dueAt);
      }
      return next;
    },
  };
}
