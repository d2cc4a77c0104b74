import { createHash } from 'node:crypto';
import { ClientError } from '@form-relay/base/client_error';
import { withTimeout } from '@form-relay/base/with_timeout';
import { decodeEntry, encodeEntry, type Foreign, foreignIn } from './entry.ts';
import { failed } from './failures.ts';
import { type Every, Leasing } from './lease_book.ts';
import type { Counts, Lease, Leases, Listed, Store, StoreContext, StorePlace } from './store.ts';

/**
 * The context for opening a store. Tests pass their own `encode`, to write entries of other versions, and
 * their own `every`, to control renewals.
 */
export type OpenContext = Omit<StoreContext, 'encode' | 'decode' | 'leaseBook'> &
  Partial<Pick<StoreContext, 'encode'>> & { readonly every?: Every };

/** Opens a store for deliveries. */
export const openLeases = (place: StorePlace, context: OpenContext) => open(place, context, 'leases');

/** Opens a store for counts. */
export const openCounts = (place: StorePlace, context: OpenContext) => open(place, context, 'counts');

async function open<P extends 'leases' | 'counts'>(
  { name, type }: StorePlace,
  { every, ...context }: OpenContext,
  part: P,
): Promise<Store & Required<Pick<Store, P>>> {
  const store = await type.open(name, {
    encode: encodeEntry,
    ...context,
    decode: decodeEntry,
    leaseBook: (rules) => new Leasing({ ...(every && { every }), ...rules }),
  });
  const lacks = missingIn(store, part);
  if (lacks !== undefined) throw failed('store_failed', { reason: `the result of open has no ${lacks}` });
  return guarded(store, context.now) as Store & Required<Pick<Store, P>>;
}

const methods = {
  leases: ['keep', 'lease', 'count', 'list', 'leaseMatching'],
  counts: ['read', 'write', 'remove'],
} as const;

function missingIn(store: Store | undefined, part: 'leases' | 'counts'): string | undefined {
  const has = (from: object | undefined, name: string) => typeof Reflect.get(from ?? {}, name) === 'function';
  const own = store?.[part];
  if (!own) return part;
  return (
    methods[part].find((name) => !has(own, name)) ?? ['probe', 'close'].find((name) => !has(store, name))
  );
}

/** A pause: an empty store that does not wait itself would keep everything else from running. */
const restMs = 200;

/** Wraps a store: turns all failures into a `ClientError`, and limits the time of `keep` and `probe`. */
function guarded(store: Store, now: () => number): Store {
  const { leases, counts, remedies, setUp } = store;
  return {
    ...(leases && { leases: guardedLeases(leases, counts && ((key) => isFirstIn(counts, key, now()))) }),
    ...(counts && { counts: guardedCounts(counts) }),
    ...(remedies && { remedies }),
    ...(setUp && { setUp: () => withClientErrors(() => setUp.call(store)) }),
    probe: (signal) => withClientErrors(() => Promise.race([store.probe(signal), whenAborted(signal)])),
    close: () => withClientErrors(() => store.close()),
  };
}

const whenAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** A signal that aborts after this time, with a reason for the owner. */
export function timeLimit(timeoutMs: number): AbortSignal {
  const limit = new AbortController();
  const late = failed('timed_out', { timeoutMs }, { retryAfterMs: 0 });
  setTimeout(() => limit.abort(late), timeoutMs).unref?.();
  return limit.signal;
}

/** @param byCounts Tells who the first caller is, if the leases cannot. */
function guardedLeases(leases: Leases, byCounts: Leases['isFirst']): Leases {
  const { notes, leaseMs, handed, isFirst = byCounts } = leases;
  /** Set if entries of a newer relay were leased and returned. That is reported later, because others are delivered first. */
  let foreign: Foreign | undefined;
  const tellForeign = () => {
    const code = foreign;
    foreign = undefined;
    if (code) throw failed(code);
  };
  return {
    leaseMs,
    ...(notes && { notes }),
    keep: (entries, options) =>
      withClientErrors(async () => {
        const late = () => {
          throw failed('timed_out', { timeoutMs: options.timeoutMs }, { retryAfterMs: 0 });
        };
        const kept = await withTimeout(options.timeoutMs, leases.keep(entries, options), late);
        return ((kept as readonly Lease[] | undefined) ?? []).map(guardedLease);
      }),
    lease: (most, waitMs, mostBytes, stop) =>
      withClientErrors(async () => {
        tellForeign();
        const until = performance.now() + Math.min(waitMs, restMs);
        const found = await leases.lease(most, waitMs, mostBytes, stop);
        const leftMs = found.length === 0 && !stop?.aborted ? until - performance.now() : 0;
        if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
        const known: Lease[] = [];
        for (const one of found) {
          const code = foreignIn(one.kept);
          foreign ??= code;
          if (code) await one.giveBack?.(foreignRestMs);
          else known.push(guardedLease(one));
        }
        if (known.length === 0) tellForeign();
        return known;
      }),
    ...(handed && {
      handed: (messages, turn, mayBegin) =>
        withClientErrors(() => handed.call(leases, messages, (lease) => turn(guardedLease(lease)), mayBegin)),
    }),
    count: () => withClientErrors(() => leases.count()),
    list: () => listing(leases.list()),
    async *leaseMatching(wanted) {
      let code: Foreign | undefined;
      const known = (one: Listed) => {
        if (!wanted(one)) return false;
        code ??= foreignIn(one.kept);
        return !foreignIn(one.kept);
      };
      for await (const one of listing(leases.leaseMatching(known)))
        yield { ...guardedLease(one), listed: one.listed };
      // Report it now that the others are done.
      if (code) throw failed(code);
    },
    ...(isFirst && { isFirst: (key) => withClientErrors(() => isFirst.call(leases, key)) }),
  };
}

/** When an entry of a newer relay is leased again. */
const foreignRestMs = 60_000;

const dayMs = 86_400_000;

/** Alerts are about what happens now, so older keys are forgotten. */
const rememberedDays = 30;
const alertsMs = 5_000;

/** Whether no process that shares the counts has called this with the key before. */
async function isFirstIn(counts: Counts, key: string, now: number): Promise<boolean> {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 32);
  const today = Math.floor(now / dayMs);
  for (;;) {
    const read = await counts.read('alerts', alertsMs);
    const lines = (read.text ?? '').split('\n').slice(1);
    if (lines.some((line) => line.startsWith(hash))) return false;
    const recent = lines.filter((line) => Math.abs(Number(line.split(' ')[1]) - today) <= rememberedDays);
    const text = ['alerts 1', ...recent.slice(1 - mostAlerts), `${hash} ${today}`].join('\n');
    if (await counts.write('alerts', text, read, alertsMs)) return true;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
  }
}

/** More than the alerts of all forms in a day. */
const mostAlerts = 2_000;

const guardedLease = (lease: Lease): Lease => ({
  kept: lease.kept,
  ...(lease.isDamaged && { isDamaged: lease.isDamaged }),
  done: () => withClientErrors(() => lease.done()),
  reschedule: (dueAt, kept) => withClientErrors(() => lease.reschedule(dueAt, kept)),
  deadLetter: (reason, kept) => withClientErrors(() => lease.deadLetter(reason, kept)),
});

function guardedCounts(counts: Counts): Counts {
  const { recall } = counts;
  return {
    read: (key, timeoutMs) => withClientErrors(() => counts.read(key, timeoutMs)),
    ...(recall && { recall: (key) => recall.call(counts, key) }),
    write: (key, text, read, timeoutMs) => withClientErrors(() => counts.write(key, text, read, timeoutMs)),
    remove: (key, timeoutMs) => withClientErrors(() => counts.remove(key, timeoutMs)),
  };
}

const withClientErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw toClientError(error);
  }
};

async function* listing<T>(all: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* all;
  } catch (error) {
    throw toClientError(error);
  }
}

/** Replaces the message of other errors, which may quote an address with a password, or an entry. */
function toClientError(error: unknown): ClientError {
  if (error instanceof ClientError) return error;
  const { code, name } = error instanceof Error ? (error as NodeJS.ErrnoException) : { name: 'not an Error' };
  return Object.assign(failed('store_failed', { reason: String(code ?? name) }), { cause: error });
}
