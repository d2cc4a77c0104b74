import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import { openLeases } from '@form-relay/stores/open_store';
import type { Bucket, Leases, Store, StorePlace } from '@form-relay/stores/store';

/** The config's `keep` block. */
export interface QueueConfig {
  readonly in: StorePlace;
  /** How long to retry a delivery, in milliseconds from when it was kept. */
  readonly forMs: number;
  /** The bucket for what is too large for a queue's messages. */
  readonly filesIn: Bucket | undefined;
}

export interface FormQueue {
  /** Whether a form keeps failed deliveries only, or all of them before the first try. */
  readonly what: 'failed' | 'always';
  readonly where: QueueConfig;
}

/** A store with deliveries. */
export type DeliveryStore = Store & { readonly leases: Leases };

/** Connects and reads nothing before its first use. */
export type OpenStore = (keep: QueueConfig) => Promise<DeliveryStore>;

/** How a relay opens stores. */
export const storeOpener = (services: Services, { uploadBudget: mostKept }: Settings): OpenStore =>
  services.openStore ??
  (({ in: place, forMs, filesIn }) => openLeases(place, { ...services, mostKept, forMs, filesIn }));

/** The stores that configs have named, open until the relay ends: usually one. */
export class OpenStores {
  readonly #all = new Map<string, Promise<DeliveryStore>>();

  constructor(private readonly open: OpenStore) {}

  /** Opens the store when it is first asked for. */
  async get(keep: QueueConfig): Promise<DeliveryStore> {
    const place = placeOf(keep);
    const store = this.#all.get(place) ?? this.open(keep);
    this.#all.set(place, store);
    store.catch(() => this.#all.delete(place));
    return store;
  }

  async leases(keep: QueueConfig): Promise<Leases> {
    return (await this.get(keep)).leases;
  }

  /** Ignores a failure to close: nothing is lost by it. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#all.values()].map(async (store) => (await store).close()));
  }
}

/** Configs with the same place share a store. */
export const placeOf = (keep: QueueConfig): string => JSON.stringify([keep.in.name, keep.filesIn]);
