import type { OpenStore, QueueConfig, Store } from '@form-relay/stores/store';

/** The stores that configs have named, open until the relay ends: usually one. */
export class OpenStores {
  readonly #all = new Map<string, Promise<Store>>();

  constructor(private readonly open: OpenStore) {}

  /** Opens the store on first use. */
  get(keep: QueueConfig): Promise<Store> {
    const place = placeOf(keep);
    const store = this.#all.get(place) ?? this.open(keep);
    this.#all.set(place, store);
    store.catch(() => this.#all.delete(place));
    return store;
  }

  /** Ignores a failure to close: nothing is lost by it. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#all.values()].map(async (store) => (await store).close()));
  }
}

/** Configs with the same place share a store. */
export const placeOf = (keep: QueueConfig): string => JSON.stringify([keep.in.name, keep.filesIn]);
