import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import { openLeases } from '@form-relay/stores/open_store';
import type { Bucket, Leases, Store, StorePlace } from '@form-relay/stores/store';

/** The config's `keep` block. */
export interface QueueConfig {
  readonly in: StorePlace;
  /** How long to retry a delivery after it was queued, in milliseconds. */
  readonly forMs: number;
  /** The bucket for entries too large for a queue's messages. */
  readonly filesIn: Bucket | undefined;
}

export interface FormQueue {
  /** Whether a form queues only failed deliveries, or all of them before the first attempt. */
  readonly what: 'failed' | 'always';
  readonly where: QueueConfig;
}

/** A store that can hold deliveries. */
export type DeliveryStore = Store & { readonly leases: Leases };

/** Opens a store without connecting or reading before the first use. */
export type OpenStore = (keep: QueueConfig) => Promise<DeliveryStore>;

/** The function by which a relay opens stores. */
export const storeOpener = (services: Services, { uploadBudget: mostKept }: Settings): OpenStore =>
  services.openStore ??
  (({ in: place, forMs, filesIn }) => openLeases(place, { ...services, mostKept, forMs, filesIn }));

/** The stores named in configs, usually one; they stay open until the relay stops. */
export class OpenStores {
  readonly #all = new Map<string, Promise<DeliveryStore>>();

  constructor(private readonly open: OpenStore) {}

  /** Opens the store on first use. */
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

  /** Ignores errors, because a failure to close loses nothing. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#all.values()].map(async (store) => (await store).close()));
  }
}

/** Configs with the same place share a store. */
export const placeOf = (keep: QueueConfig): string => JSON.stringify([keep.in.name, keep.filesIn]);
