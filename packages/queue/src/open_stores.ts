import type { OpenStore, QueueConfig, Store } from './store.ts';

interface Opened {
  store: Promise<Store> | undefined;
  holders: number;
  isRetired: boolean;
}

/** The open stores: usually one; two while one config follows another. */
export class OpenStores {
  readonly #all = new Map<string, Opened>();

  constructor(private readonly open: OpenStore) {}

  /** Opens the store when it is first asked for. */
  get(keep: QueueConfig): Promise<Store> {
    const opened = this.#openedAt(keep);
    const store = opened.store ?? this.open(keep);
    opened.store = store;
    store.catch(() => {
      opened.store = undefined;
    });
    return store;
  }

  /** Keeps it open until the returned function is called. */
  hold(keep: QueueConfig): () => void {
    const opened = this.#openedAt(keep);
    opened.holders += 1;
    return () => {
      opened.holders -= 1;
      this.#closeRetired(keep, opened);
    };
  }

  /** No config names it any more: closes it when it is not held. */
  retire(keep: QueueConfig): void {
    const opened = this.#openedAt(keep);
    opened.isRetired = true;
    this.#closeRetired(keep, opened);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all.values()].map(close));
  }

  #openedAt(keep: QueueConfig): Opened {
    const place = placeOf(keep);
    const opened = this.#all.get(place) ?? { store: undefined, holders: 0, isRetired: false };
    this.#all.set(place, opened);
    return opened;
  }

  #closeRetired(keep: QueueConfig, opened: Opened) {
    if (!opened.isRetired || opened.holders > 0) return;
    this.#all.delete(placeOf(keep));
    void close(opened);
  }
}

/** Ignores a failure to close: nothing is lost by it. */
async function close({ store }: Opened): Promise<void> {
  try {
    await (await store)?.close();
  } catch {}
}

/** Configs with the same place share a store. */
export const placeOf = (keep: QueueConfig): string => JSON.stringify([keep.in.name, keep.filesIn]);
