/** The entries of the choice, in windows that are loaded as they come into view. */
import { effect, signal } from '@preact/signals';
import type { Entry, Window } from '../../src/api.ts';
import { open, opened, paramsOf, query } from '../address.ts';
import { ask, wordsOf } from '../ask.ts';

const size = 100;
/** Browsers draw no taller lists. Older submissions are found by a filter. */
export const mostRows = 150_000;
/** Windows that stay, beyond those in view. */
const mostWindows = 60;

export const total = signal<number | undefined>(undefined);
/** There are more than `total`, which are being counted. */
export const hasMore = signal(false);
export const trouble = signal<string | undefined>(undefined);
/** Grows with each change of the windows. */
export const painted = signal(0);
/** The place in the list at which the keyboard is. */
export const cursor = signal(0);

/** When the newest entry came that was ever shown of this choice: later ones are not known to the person. */
export const newest = { at: 0 };

let windows = new Map<number, readonly Entry[]>();
const loading = new Map<number, { readonly abort: AbortController; readonly done: Promise<void> }>();
/** Answers to an older choice come to nothing. */
let generation = 0;
let inView = { first: 0, last: 0 };

/** Reactions of the list to entries that came or went above those in view. */
export const scroller = {
  shift: (_rows: number): void => {},
  show: (_index: number): void => {},
  top: (): void => {},
};

export const entryAt = (index: number): Entry | undefined =>
  windows.get(Math.floor(index / size))?.[index % size];

/** The entry with an id, if it is loaded. */
export function loadedEntry(id: string): { readonly entry: Entry; readonly index: number } | undefined {
  for (const [nth, entries] of windows) {
    const at = entries.findIndex((entry) => entry.id === id);
    const entry = entries[at];
    if (entry) return { entry, index: nth * size + at };
  }
  return undefined;
}

/** Loads the rows in view, and stops loading those that are out of view by now. */
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

/** Somebody who types asks for something else by then. */
const countAfterMs = 150;

/** Rows come before their count, which takes longer where there are many. */
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

/** Loads the rows in view again. The rows stay where they are, even if entries came above them. */
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

/** Any number of changes in a short time are one reload. */
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

/** Another choice begins at its newest entry. */
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

/** Moves the keyboard's place. An open message follows. */
export async function step(by: number): Promise<void> {
  const most = Math.min(total.peek() ?? 0, mostRows) - 1;
  const at = cursor.peek();
  const here = entryAt(at);
  // The open entry may have left the choice, as a read one leaves the unread: its place is then the next one's.
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

/** Shows a change at once, before the server's own news of it. */
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
