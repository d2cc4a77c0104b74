/** The contract of stores detects a store that breaks a promise. test/contract/stores.test.ts runs it on the relay's own stores. */
import { type MemoryPlace, openMemory } from '../../../test/support/memory_store.ts';
import { placeInMemory } from '../../../test/support/stores/memory.ts';
import { checksOf } from '../../../test/support/stores/place.ts';
import type { Counts, FormCounts, Lease, Leases, Versioned } from '../../stores/src/store.ts';

/** In-memory stores, each of which breaks one promise. */
const faults: Readonly<Record<string, (place: MemoryPlace) => ReturnType<typeof openMemory>>> = {
  'a lease of a killed process never lapses': (place) => ({ ...openMemory(place), kill: () => {} }),
  'a lease excludes nobody': (place) => {
    place.isFree = () => true;
    return openMemory(place);
  },
  'a lease lapses by the clock, and its holder does not notice': (place) => {
    const { now, leaseMs, isFree } = place;
    const openedAt = now();
    place.isFree = (held) => isFree.call(place, held) || now() - openedAt > leaseMs;
    const store = openMemory(place);
    return withLeases(store, (leases) => ({
      lease: async (...asked) => (await leases.lease(...asked)).map(unnoticed),
    }));
  },
  'content is stored as text': (place) =>
    withLeases(openMemory(place), ({ keep }) => ({
      keep: (entries, options) =>
        keep(
          entries.map((one) => ({ ...one, content: Buffer.from(String(Buffer.from(one.content))) })),
          options,
        ),
    })),
  'times are cut': (place) =>
    withLeases(openMemory(place), ({ keep }) => ({
      keep: (entries, options) =>
        keep(
          entries.map((one) => ({ ...one, keptAt: Math.floor(one.keptAt) })),
          options,
        ),
    })),
  'names of forms are lowered': (place) =>
    withLeases(openMemory(place), ({ keep }) => ({
      keep: (entries, options) =>
        keep(
          entries.map((one) => ({ ...one, form: one.form.toLowerCase() })),
          options,
        ),
    })),
  'an entry is acknowledged before it is stored': (place) =>
    withLeases(openMemory(place), ({ keep }) => ({
      keep: async (entries, options) => {
        setTimeout(() => void keep(entries, options), 20);
        return [];
      },
    })),
  'entries are due at once': (place) => {
    place.isDue = (held) => place.isFree(held) && held.deadLetter === undefined;
    return openMemory(place);
  },
  'a dead letter is due': (place) => {
    place.isDue = (held) => place.isFree(held) && held.dueAt <= place.now();
    return openMemory(place);
  },
  'the limit of entries is ignored': (place) =>
    withLeases(openMemory(place), ({ lease }) => ({ lease: (_, ...rest) => lease(100, ...rest) })),
  'the limit of bytes is ignored': (place) =>
    withLeases(openMemory(place), ({ lease }) => ({ lease: (most, waitMs) => lease(most, waitMs) })),
  'a large entry is never handed out': (place) =>
    withLeases(openMemory(place), ({ lease }) => ({
      lease: async (most, waitMs, mostBytes = Infinity) => {
        const leases = await lease(most, waitMs, mostBytes);
        const [fits, large] = [
          leases.filter(isWithin(mostBytes)),
          leases.filter((one) => !isWithin(mostBytes)(one)),
        ];
        for (const one of large) await one.reschedule(0, one.kept);
        return fits;
      },
    })),
  'an entry that is done comes again': (place) =>
    withLease(openMemory(place), (lease) => ({ done: () => lease.reschedule(0, lease.kept) })),
  'a rescheduled entry forgets what is known': (place) =>
    withLease(openMemory(place), (lease) => ({ reschedule: (dueAt) => lease.reschedule(dueAt, lease.kept) })),
  'all dead letters are refused': (place) =>
    withLease(openMemory(place), (lease) => ({ deadLetter: (_, kept) => lease.deadLetter('refused', kept) })),
  'a closed store keeps what it had': (place) => ({ ...openMemory(place), close: async () => {} }),
  'the owner gets what was not wanted': (place) =>
    withLeases(openMemory(place), ({ leaseMatching }) => ({
      leaseMatching: () => leaseMatching(() => true),
    })),
  'the owner gets what a relay has': (place) => {
    const { isFree } = place;
    return withLeases(openMemory(place), ({ leaseMatching }) => ({
      async *leaseMatching(wanted) {
        place.isFree = () => true;
        yield* leaseMatching(wanted);
        place.isFree = isFree;
      },
    }));
  },
  'a list leases': (place) =>
    withLeases(openMemory(place), ({ list, leaseMatching }) => ({
      async *list() {
        yield* list();
        for await (const _ of leaseMatching(() => true));
      },
    })),
  'only the first is listed': (place) =>
    withLeases(openMemory(place), ({ list }) => ({
      async *list() {
        for await (const one of list()) return yield one;
      },
    })),
  'counts mix forms': (place) =>
    withLeases(openMemory(place), ({ count }) => ({
      count: async () => ({ forms: new Map([['', [...(await count()).forms.values()][0] as FormCounts]]) }),
    })),
  'a clock that is set back loses entries': (place) => {
    const { isDue } = place;
    place.isDue = (held) => {
      if (held.dueAt > place.now() + 3_600_000) place.all.delete(held);
      return isDue(held);
    };
    return openMemory(place);
  },
  'everyone is first': (place) => withLeases(openMemory(place), () => ({ isFirst: async () => true })),
  'it does not say whether it works': (place) => ({ ...openMemory(place), probe: async () => [] }),
  'a count is replaced whatever it is': (place) => {
    const store = openMemory(place);
    const write: Counts['write'] = async (key, text, _, timeoutMs) =>
      store.counts.write(key, text, await store.counts.read(key, timeoutMs), timeoutMs);
    return { ...store, counts: { ...store.counts, write } };
  },
  'a count is read late': (place) => {
    const store = openMemory(place);
    const known = new Map<string, Promise<Versioned>>();
    const read: Counts['read'] = (key, timeoutMs) => {
      const before = known.get(key);
      known.set(key, store.counts.read(key, timeoutMs));
      return before ?? store.counts.read(key, timeoutMs);
    };
    return { ...store, counts: { ...store.counts, read } };
  },
  'a removed count stays': (place) => {
    const store = openMemory(place);
    return { ...store, counts: { ...store.counts, remove: async () => {} } };
  },
};

type Opened = ReturnType<typeof openMemory>;

const withLeases = (store: Opened, change: (leases: Leases) => Partial<Leases>): Opened => ({
  ...store,
  leases: { ...store.leases, ...change(store.leases) },
});

const withLease = (store: Opened, change: (lease: Lease) => Partial<Lease>): Opened =>
  withLeases(store, (leases) => ({
    lease: async (...asked) => (await leases.lease(...asked)).map((one) => ({ ...one, ...change(one) })),
  }));

/** Settles without an error, even if another process holds the entry. */
const unnoticed = (lease: Lease): Lease => ({ ...lease, done: () => lease.done().catch(() => {}) });
const isWithin = (mostBytes: number) => (lease: Lease) => lease.kept.content.length <= mostBytes;

describe('the contract of stores detects that', () => {
  test.each(Object.entries(faults))('%s', { timeout: 60_000 }, async (_, open) => {
    const broken: string[] = [];
    for (const { name, run } of checksOf('it', { create: async () => placeInMemory(open), patienceMs: 300 }))
      await run().catch(() => broken.push(name));
    expect(broken).not.toEqual([]);
  });
});
