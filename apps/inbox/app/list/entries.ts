/** The filtered entries, loaded in windows as they scroll into view. */
import { effect, signal } from '@preact/signals';
import type { Entry, Window } from '../../src/api.ts';
import { open, opened, paramsOf, query } from '../address.ts';
import { ask, wordsOf } from '../ask.ts';

const size = 100;
/** Browsers cannot render taller lists. Filters reach older submissions. */
export const mostRows = 150_000;
/** Windows kept in memory besides those in view. */
const mostWindows = 60;

export const total = signal<number | undefined>(undefined);
/** Whether more than `total` entries match; the count is still running. */
export const hasMore = signal(false);
export const trouble = signal<string | undefined>(undefined);
/** Increases whenever windows change. */
export const painted = signal(0);
/** Index of the row with keyboard focus. */
export const cursor = signal(0);

/** Arrival time of the newest entry shown for this filter. The person has not seen any later ones. */
export const newest = { at: 0 };

let windows = new Map<number, readonly Entry[]>();
const loading = new Map<number, { readonly abort: AbortController; readonly done: Promise<void> }>();
/** Identifies the current filter; responses for an older one are ignored. */
let generation = 0;
let inView = { first: 0, last: 0 };

/** Adjusts the scroll position when entries above the view are added or removed. */
export const scroller = {
  shift: (_rows: number): void => {},
  show: (_index: number): void => {},
  top: (): void => {},
};

export const entryAt = (index: number): Entry | undefined =>
  windows.get(Math.floor(index / size))?.[index % size];

export function loadedEntry(id: string): { readonly entry: Entry; readonly index: number } | undefined {
  for (const [nth, entries] of windows) {
    const at = entries.findIndex((entry) => entry.id === id);
    const entry = entries[at];
    if (entry) return { entry, index: nth * size + at };
  }
  return undefined;
}

/** Loads the rows in view, and aborts loading those that have scrolled out of view. */
export function show(first: number, last: number): void {
  inView = { first, last };
  const [from, to] = [Math.floor(first / size), Math.floor(last / size)];
  for (const [nth, { abort }] of loading) if (nth < from - 1 || nth > to + 1) abort.abort();
  for (let nth = from; nth <= to; nth += 1) void load(nth);
}

function load(nth: number): Promise<void> | undefined {
  if (windows.has(nth)) return undefined;
  const running = loading.get(nth);
  if (running && !running.abort.signal.aborted) return running.done;
  const abort = new AbortController();
  const own = generation;
  const run = async () => {
    try {
      const isFirst = total.peek() === undefined;
      const got = await windowOf(nth * size, size, abort.signal, !isFirst);
      if (own !== generation) return;
      keep(nth, got.entries);
      total.value = got.total;
      hasMore.value = got.hasMore ?? false;
      if (got.hasMore) setTimeout(() => void countAll(own), countAfterMs);
      trouble.value = undefined;
      painted.value += 1;
    } catch (error) {
      if (own === generation && !abort.signal.aborted) trouble.value = wordsOf(error);
    } finally {
      if (loading.get(nth)?.abort === abort) loading.delete(nth);
    }
  };
  const done = run();
  loading.set(nth, { abort, done });
  return done;
}

/** Delays the count while the person is still typing. */
const countAfterMs = 150;

/** Counts separately, so that rows appear before a slow count ends. */
async function countAll(own: number): Promise<void> {
  if (own !== generation) return;
  const got = await windowOf(0, 1).catch(() => undefined);
  if (own !== generation || !got) return;
  total.value = got.total;
  hasMore.value = false;
}

function seen(nth: number, [first]: readonly Entry[]): void {
  if (nth === 0 && first) newest.at = Math.max(newest.at, first.receivedAt);
}

function keep(nth: number, entries: readonly Entry[]): void {
  seen(nth, entries);
  windows.set(nth, entries);
  for (const old of windows.keys()) {
    if (windows.size <= mostWindows) return;
    if (old < Math.floor(inView.first / size) - 1 || old > Math.floor(inView.last / size) + 1)
      windows.delete(old);
  }
}

export const windowOf = (from: number, count: number, stop?: AbortSignal, isCounted = true) => {
  const params = paramsOf(query.value);
  params.set('from', String(from));
  params.set('count', String(count));
  if (!isCounted) params.set('counted', 'no');
  return ask<Window>(`/api/entries?${params}`, stop ? { signal: stop } : {});
};

/** Reloads the rows in view. The scroll position stays, even if entries were added above. */
async function reload(): Promise<void> {
  const own = generation;
  const { first } = inView;
  const before = total.value ?? 0;
  const anchor = first > 0 ? entryAt(first) : undefined;
  let from = Math.floor(first / size) * size;
  let got = await windowOf(from, size * 3);
  const place = () => got.entries.findIndex(({ id }) => id === anchor?.id);
  if (anchor && place() < 0 && got.total !== before) {
    from = Math.max(0, Math.floor((first + got.total - before) / size) * size);
    got = await windowOf(from, size * 3);
  }
  if (own !== generation) return;
  const shift = anchor && place() >= 0 ? from + place() - first : 0;
  const current = entryAt(cursor.value)?.id;
  for (const { abort } of loading.values()) abort.abort();
  loading.clear();
  generation += 1;
  windows = new Map();
  for (let at = 0; at < got.entries.length || at === 0; at += size)
    windows.set(from / size + at / size, got.entries.slice(at, at + size));
  seen(from / size, got.entries);
  total.value = got.total;
  hasMore.value = false;
  trouble.value = undefined;
  const found = current === undefined ? undefined : loadedEntry(current)?.index;
  cursor.value = Math.max(0, Math.min(found ?? cursor.value + shift, got.total - 1));
  if (shift !== 0) scroller.shift(shift);
  painted.value += 1;
}

let isReloading = false;
let isWanted = false;

/** Coalesces changes within a short time into one reload. */
export async function changed(): Promise<void> {
  isWanted = true;
  if (isReloading) return;
  isReloading = true;
  try {
    while (isWanted) {
      isWanted = false;
      await reload();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  } catch (error) {
    trouble.value = wordsOf(error);
  } finally {
    isReloading = false;
  }
}

export function retry(): void {
  trouble.value = undefined;
  void changed();
}

/** A new filter starts at its newest entry. */
effect(() => {
  paramsOf(query.value);
  generation += 1;
  windows = new Map();
  for (const { abort } of loading.values()) abort.abort();
  loading.clear();
  inView = { first: 0, last: 0 };
  cursor.value = 0;
  total.value = undefined;
  hasMore.value = false;
  newest.at = 0;
  scroller.top();
  void load(0);
});

/** Moves the keyboard focus. An open message follows. */
export async function step(by: number): Promise<void> {
  const most = Math.min(total.peek() ?? 0, mostRows) - 1;
  const at = cursor.peek();
  const here = entryAt(at);
  // An entry that no longer matches the filter (such as a read one in *Unread*) leaves its place to the next one.
  const isGone = opened.peek() !== undefined && here !== undefined && !loadedEntry(opened.peek() ?? '');
  const to = Math.max(0, Math.min(isGone && by > 0 ? at + by - 1 : at + by, most));
  if (most < 0) return;
  cursor.value = to;
  scroller.show(to);
  if (opened.peek() !== undefined) await openAt(to);
}

export async function openAt(index: number): Promise<void> {
  cursor.value = index;
  await load(Math.floor(index / size));
  const entry = entryAt(index);
  if (entry && cursor.peek() === index) open(entry.id);
}

/** Shows a change immediately, before the server's event arrives. */
export function patch(id: string, change: Partial<Entry>): void {
  const found = loadedEntry(id);
  if (!found) return;
  const nth = Math.floor(found.index / size);
  const entries = windows.get(nth) ?? [];
  windows.set(
    nth,
    entries.map((entry) => (entry.id === id ? { ...entry, ...change } : entry)),
  );
  painted.value += 1;
}
