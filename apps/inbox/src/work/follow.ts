/** Keeps the work on submissions in sync with the submissions while the inbox runs. */
import { registerStore, takeErased } from '@form-relay/stored/search_index';
import type { EntryIndex } from '../entry_index.ts';
import type { Store } from '../store/store.ts';
import { createWorkStore } from './work.ts';

const erasedEveryMs = 2_000;
const sweepEveryMs = 6 * 3_600_000;

interface Following {
  readonly store: Store;
  readonly index: Pick<EntryIndex, 'annotate' | 'unknownWork'>;
  readonly indexFolder: string;
  readonly now: () => number;
  readonly broken: (error: unknown) => void;
}

export function followWork({ store, index, indexFolder, now, broken }: Following) {
  const work = createWorkStore(store, now);
  let isRegistered = false;
  const guarded = (run: () => unknown) => void Promise.resolve().then(run).catch(broken);
  /** Erases the work on submissions that commands erased, whether or not an inbox was running. */
  const eraseAsked = async () => {
    let gone: readonly string[] = [];
    if (!isRegistered && !work.isEmpty()) {
      registerStore(indexFolder, store.folder);
      isRegistered = true;
    }
    takeErased(store.folder, (ids) => (gone = work.erase(ids)));
    if (gone.length > 0) await index.annotate(work.rows(gone));
  };
  const sweep = async () => {
    const unknown = await index.unknownWork();
    if (unknown) await index.annotate(work.rows(work.sweep(unknown)));
  };
  guarded(async () => {
    await eraseAsked();
    await index.annotate(work.rows(), true);
  });
  const timers = [
    setInterval(() => guarded(eraseAsked), erasedEveryMs),
    setInterval(() => guarded(sweep), sweepEveryMs),
  ];
  for (const timer of timers) timer.unref();
  return {
    work,
    close(): void {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
