import type { DeliveryStore } from '../../packages/queue/src/open_stores.ts';
import { failed } from '../../packages/stores/src/failures.ts';
import type {
  Counts,
  DeadLetterReason,
  FormCounts,
  Lease,
  Leases,
  Listed,
  Queued,
} from '../../packages/stores/src/store.ts';

interface Held {
  kept: Queued;
  deadLetter: DeadLetterReason | undefined;
  dueAt: number;
  /** The process that holds the lease. */
  by: Process | undefined;
}

interface Process {
  diedAt?: number;
}

/** A store in memory that several processes may share, each with its own object. */
export class MemoryPlace {
  readonly leaseMs = 30_000;
  readonly all = new Set<Held>();
  readonly firsts = new Set<string>();
  readonly texts = new Map<string, { readonly text: string; readonly version: string }>();

  constructor(readonly now: () => number) {}

  isFree({ by }: Held): boolean {
    return !by || (by.diedAt !== undefined && this.now() - by.diedAt > this.leaseMs);
  }

  isDue = (held: Held): boolean =>
    this.isFree(held) && held.deadLetter === undefined && held.dueAt <= this.now();
}

/** A store that ends with its process, for tests that advance the clock themselves. */
export const createMemoryStore = (
  now: () => number,
  change: Partial<Leases> = {},
): DeliveryStore & { readonly counts: Counts } => openMemory(new MemoryPlace(now), change);

export const createMemoryLeases = (now: () => number): Leases => createMemoryStore(now).leases;

export function openMemory(
  place: MemoryPlace,
  change: Partial<Leases> = {},
): DeliveryStore & { readonly counts: Counts; kill(): void } {
  const { all, firsts, texts, now } = place;
  const own: Process = {};
  const leaseOf = (held: Held): Lease => {
    held.by = own;
    const settle = (next: Partial<Held>) => {
      if (held.by !== own || !all.has(held)) throw failed('claim_lost');
      Object.assign(held, next, { by: undefined });
    };
    return {
      kept: held.kept,
      done: async () => {
        settle({});
        all.delete(held);
      },
      reschedule: async (dueAt, kept) => settle({ dueAt, kept, deadLetter: undefined }),
      deadLetter: async (reason, kept) => settle({ deadLetter: reason, kept }),
    };
  };
  const listed = ({ kept, deadLetter, dueAt }: Held): Listed => ({
    kept,
    deadLetter,
    dueAt: deadLetter === undefined ? dueAt : undefined,
  });
  const leases: Leases = {
    leaseMs: place.leaseMs,
    keep: async (entries, { isMine, dueAt }) => {
      const held = entries.map((kept): Held => ({ kept, deadLetter: undefined, dueAt, by: undefined }));
      for (const one of held) all.add(one);
      return isMine ? held.map(leaseOf) : [];
    },
    lease: async (most, waitMs, mostBytes = Infinity) => {
      const due = () => [...all].filter(place.isDue);
      // The caller may advance the clock meanwhile.
      if (due().length === 0) await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, 20)));
      const some: Held[] = [];
      let bytes = 0;
      for (const held of due()) {
        bytes += held.kept.content.length;
        if (some.length === most || (some.length > 0 && bytes > mostBytes)) break;
        some.push(held);
      }
      return some.map(leaseOf);
    },
    count: async () => {
      const forms = new Map<string, FormCounts>();
      for (const { kept, deadLetter } of all) {
        const { form, keptAt } = kept;
        const before = forms.get(form) ?? { due: 0, deadLetters: 0, oldestKeptAt: Infinity };
        forms.set(form, {
          due: before.due + (deadLetter === undefined ? 1 : 0),
          deadLetters: before.deadLetters + (deadLetter === undefined ? 0 : 1),
          oldestKeptAt: Math.min(before.oldestKeptAt ?? Infinity, keptAt),
        });
      }
      return { forms };
    },
    async *list() {
      for (const held of [...all]) yield listed(held);
    },
    async *leaseMatching(wanted) {
      for (const held of [...all].filter((one) => place.isFree(one))) {
        const about = listed(held);
        if (wanted(about)) yield { ...leaseOf(held), listed: about };
      }
    },
    isFirst: async (key) => {
      const isFirst = !firsts.has(key);
      firsts.add(key);
      return isFirst;
    },
  };
  return {
    leases: { ...leases, ...change },
    counts: {
      read: async (key) => texts.get(key) ?? { text: undefined, version: '0' },
      write: async (key, text, { version }) => {
        if ((texts.get(key)?.version ?? '0') !== version) return false;
        texts.set(key, { text, version: String(Number(version) + 1) });
        return true;
      },
      remove: async (key) => void texts.delete(key),
    },
    probe: async () => [{ level: 'ok', says: 'is in memory' }],
    close: async () => {
      for (const held of all) if (held.by === own) held.by = undefined;
    },
    kill: () => {
      own.diedAt = now();
    },
  };
}
