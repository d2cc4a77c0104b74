/** The selected submissions, and bulk actions on them. */
import { effect, signal } from '@preact/signals';
import type { ActionDone, Entry } from '../../src/api.ts';
import { attempt, may, notify } from '../about.ts';
import { open, opened, paramsOf, query } from '../address.ts';
import { addressOf, ask, post, wordsOf } from '../ask.ts';
import { counted, number } from '../words.ts';
import { changed, cursor, entryAt, newest, patch, windowOf } from './entries.ts';

/** The server returns this many at once. */
const mostSelected = 1_000;

export const selected = signal<ReadonlyMap<string, Entry>>(new Map());
/** Progress of the current bulk action. */
export const running = signal<{ readonly done: number; readonly of: number } | undefined>(undefined);

/** Where a range selected with `Shift` starts. */
let anchor = 0;

export const clear = (): void => {
  selected.value = new Map();
};

export function toggle(index: number): void {
  const entry = entryAt(index);
  if (!entry) return;
  anchor = index;
  cursor.value = index;
  const all = new Map(selected.peek());
  if (!all.delete(entry.id) && all.size < mostSelected) all.set(entry.id, entry);
  selected.value = all;
}

/** Selects the range from the last selected row. */
export async function extend(index: number): Promise<void> {
  cursor.value = index;
  await add(Math.min(anchor, index), Math.abs(anchor - index) + 1);
}

/** Selects everything that matches, or clears the selection if all of it is selected. */
export async function selectAll(): Promise<void> {
  const before = selected.peek().size;
  await add(0, mostSelected);
  if (before > 0 && selected.peek().size === before) clear();
}

async function add(from: number, count: number): Promise<void> {
  const choice = paramsOf(query.peek()).toString();
  await attempt(async () => {
    const { entries, total } = await windowOf(from, Math.min(count, mostSelected));
    if (choice !== paramsOf(query.peek()).toString()) return;
    const all = new Map([...selected.peek(), ...entries.map((entry) => [entry.id, entry] as const)]);
    selected.value = new Map([...all].slice(0, mostSelected));
    if (all.size > mostSelected || (from === 0 && count === mostSelected && total > mostSelected))
      notify(`At most ${number(mostSelected)} submissions can be selected at once.`);
  });
}

/** A new filter shows other entries. */
effect(() => {
  paramsOf(query.value);
  clear();
});

export async function readSelected(read: boolean): Promise<void> {
  const entries = [...selected.peek().values()];
  await during(async () => {
    await post('/api/read', { ids: entries.map(({ id }) => id), read });
    for (const { id } of entries) patch(id, { isRead: read });
    return `Marked ${counted(entries.length, 'submission')} as ${read ? 'read' : 'unread'}.`;
  });
}

/** Marks everything that matches as read, except entries that arrived after those in view. */
export async function readAll(): Promise<void> {
  const { until = Infinity } = query.peek();
  const params = paramsOf({ ...query.peek(), until: Math.min(until, newest.at + 1) });
  await during(async () => {
    const all = { all: true, read: true };
    const { changed } = await post<{ readonly changed: number }>(`/api/read?${params}`, all);
    return `Marked ${counted(changed, 'submission')} as read.`;
  });
}

/** Deletes one entry at a time, so that each is recorded in the audit log. */
export async function deleteAll(entries: readonly Entry[]): Promise<void> {
  const gone: string[] = [];
  let why = '';
  await during(async () => {
    for (const [nth, { id }] of entries.entries()) {
      running.value = { done: nth, of: entries.length };
      const { isDone, words } = await deleteOne(id).catch((error: unknown) => ({
        isDone: false,
        words: wordsOf(error),
      }));
      if (isDone) gone.push(id);
      else why = words;
    }
    if (why === '') return `Deleted ${counted(gone.length, 'submission')}.`;
    throw new Error(`Deleted ${number(gone.length)} of ${counted(entries.length, 'submission')}. ${why}`);
  });
  if (gone.includes(opened.peek() ?? '')) open(undefined);
}

export const deleteOne = (id: string) => ask<ActionDone>(addressOf(id), { method: 'DELETE' });

export const permitted = (right: 'act' | 'erase'): readonly Entry[] =>
  [...selected.value.values()].filter(({ form }) => may(right, form));

/** Runs a bulk action, and shows its result. */
export async function during(work: () => Promise<string>, keepsSelection = false): Promise<void> {
  if (running.peek()) return;
  running.value = { done: 0, of: 0 };
  const isDone = await attempt(async () => notify(await work()));
  if (isDone && !keepsSelection) clear();
  running.value = undefined;
  await changed();
}
