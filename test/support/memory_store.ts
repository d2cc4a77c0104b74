import type {
  DeadLetterReason,
  Lease,
  Listed,
  QueueCounts,
  Queued,
  Store,
} from '../../packages/stores/src/store.ts';

interface Held {
  kept: Queued;
  aside: DeadLetterReason | undefined;
  dueAt: number;
  isLeased: boolean;
}

/** A store that ends with its process, for tests that move the clock by hand. */
export function createMemoryStore(now: () => number): Store {
  const all = new Set<Held>();
  const claimed = new Set<string>();
  const leaseOf = (held: Held): Lease => {
    held.isLeased = true;
    const settle = (change: Partial<Held>) => {
      Object.assign(held, change, { isLeased: false });
    };
    return {
      kept: held.kept,
      done: async () => void all.delete(held),
      reschedule: async (dueAt, kept) => settle({ dueAt, kept, aside: undefined }),
      setAside: async (aside, kept) => settle({ aside, kept }),
    };
  };
  const free = () => [...all].filter(({ isLeased }) => !isLeased);
  const listed = ({ kept, aside, dueAt }: Held): Listed => ({
    kept,
    aside,
    dueAt: aside === undefined ? dueAt : undefined,
  });
  return {
    keep: async (entries, { isMine, dueAt }) => {
      const held = entries.map((kept) => ({ kept, aside: undefined, dueAt, isLeased: false }));
      for (const one of held) all.add(one);
      return isMine ? held.map(leaseOf) : [];
    },
    lease: async (most, waitMs, mostBytes = Infinity) => {
      const due = () => free().filter(({ aside, dueAt }) => aside === undefined && dueAt <= now());
      // The caller may move the clock meanwhile.
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
    count: async () => waitingOf([...all].map(listed)),
    async *list() {
      for (const held of [...all]) yield listed(held);
    },
    async *leaseMatching(wanted) {
      for (const held of free()) {
        const about = listed(held);
        if (wanted(about)) yield { ...leaseOf(held), listed: about };
      }
    },
    isFirst: async (key) => {
      const isFirst = !claimed.has(key);
      claimed.add(key);
      return isFirst;
    },
    look: async () => ['is in memory'],
    close: async () => {
      for (const held of all) held.isLeased = false;
    },
  };
}

function waitingOf(all: readonly Listed[]): QueueCounts {
  const forms = new Map<string, { due: number; aside: number; oldestKeptAt: number | undefined }>();
  for (const { kept, aside } of all) {
    const form = forms.get(kept.form) ?? { due: 0, aside: 0, oldestKeptAt: undefined };
    forms.set(kept.form, form);
    if (aside === undefined) form.due += 1;
    else form.aside += 1;
    form.oldestKeptAt = Math.min(form.oldestKeptAt ?? kept.keptAt, kept.keptAt);
  }
  return { forms };
}
