import type { Keep, OpenStore, Store } from '../base/kept.ts';

/** The stores that are open: mostly one; two while one config follows another. */
export interface OpenStores {
  /** Opened when it is first asked for. */
  get(keep: Keep): Promise<Store>;
  /** Keeps it open until what this gives is called. */
  hold(keep: Keep): () => void;
  /** No config names it any more: it is closed when nobody holds it. */
  retire(keep: Keep): void;
  close(): Promise<void>;
}

interface Opened {
  store: Promise<Store> | undefined;
  holders: number;
  isRetired: boolean;
}

export function createOpenStores(open: OpenStore): OpenStores {
  const all = new Map<string, Opened>();
  const openedAt = (keep: Keep): Opened => {
    const place = placeOf(keep);
    const opened = all.get(place) ?? { store: undefined, holders: 0, isRetired: false };
    all.set(place, opened);
    return opened;
  };
  const closeRetired = (keep: Keep, opened: Opened) => {
    if (!opened.isRetired || opened.holders > 0) return;
    all.delete(placeOf(keep));
    void close(opened);
  };
  return {
    get: (keep) => {
      const opened = openedAt(keep);
      const store = opened.store ?? open(keep);
      opened.store = store;
      store.catch(() => {
        opened.store = undefined;
      });
      return store;
    },
    hold: (keep) => {
      const opened = openedAt(keep);
      opened.holders += 1;
      return () => {
        opened.holders -= 1;
        closeRetired(keep, opened);
      };
    },
    retire: (keep) => {
      const opened = openedAt(keep);
      opened.isRetired = true;
      closeRetired(keep, opened);
    },
    close: async () => void (await Promise.all([...all.values()].map(close))),
  };
}

/** What cannot be closed has nothing left to say. */
async function close({ store }: Opened): Promise<void> {
  try {
    await (await store)?.close();
  } catch {}
}

/** What makes it another place. */
export const placeOf = (keep: Keep): string => JSON.stringify([keep.in.name, keep.filesIn]);
