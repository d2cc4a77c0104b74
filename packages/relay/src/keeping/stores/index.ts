import type { Effects } from '../../base/effects.ts';
import type { Keep, Store } from '../../base/kept.ts';
import type { Aws } from '../../transports/aws/account.ts';

/** The parts of the outside world that stores need. */
export interface StoreWorld {
  readonly readEnv: Effects['env'];
  readonly aws: Aws;
  readonly now: Effects['now'];
  /** The largest submission that is kept, in bytes: UPLOAD_BUDGET. */
  readonly mostKept?: number;
  /** Finds the object that the platform binds to a name, such as a queue of Cloudflare. Absent elsewhere. */
  readonly binding?: ((name: string) => unknown) | undefined;
}

/** Every kind of store, each read when a config names it. */
const kinds: Partial<Record<Keep['in']['kind'], (keep: Keep, world: StoreWorld) => Promise<Store>>> = {
  nats: async (keep, world) => new (await import('./nats.ts')).NatsStore(keep, world),
  folder: async (keep, world) => (await import('./folder.ts')).openFolder(keep, world),
  queue: async (keep, world) => new (await import('./queue.ts')).QueueStore(keep, world),
  sqs: async (keep, world) => new (await import('./sqs.ts')).SqsStore(keep, world),
};

/** Opens a store. Nothing is connected or read before it is used. */
export const openStore: (keep: Keep, world: StoreWorld) => Promise<Store> = async (keep, world) => {
  const open = kinds[keep.in.kind];
  if (!open) throw new Error(`no store is of the kind ${keep.in.kind}`);
  return open(keep, world);
};
