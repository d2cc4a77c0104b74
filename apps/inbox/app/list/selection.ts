/** The submissions that a person selected, and what is done with all of them. */
import { effect, signal } from '@preact/signals';
import type { ActionDone, Entry } from '../../src/api.ts';
import { may, tell } from '../about.ts';
import { open, opened, paramsOf, query } from '../address.ts';
import { addressOf, ask, post, wordsOf } from '../ask.ts';
import { counted, number } from '../words.ts';
import { changed, cursor, entryAt, newest, patch, windowOf } from './entries.ts';

/** The server gives so many at once. */
const mostSelected = 1_000;

export const selected = signal<ReadonlyMap<string, Entry>>(new Map());
/** How far the work on several is. */
export const running = signal<{ readonly done: number; readonly of: number } | undefined>(undefined);

/** From where `Shift` selects. */
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

/** Selects all from the one that was selected last. */
export async function extend(index: number): Promise<void> {
  cursor.value = index;
  await add(Math.min(anchor, index), Math.abs(anchor - index) + 1);
}

/** All of the choice, or none if all of them are selected. */
export async function selectAll(): Promise<void> {
  const before = selected.peek().size;
  await add(0, mostSelected);
  if (before > 0 && selected.peek().size === before) clear();
}

async function add(from: number, count: number): Promise<void> {
  const choice = paramsOf(query.peek()).toString();
  try {
    const { entries, total } = await windowOf(from, Math.min(count, mostSelected));
    if (choice !== paramsOf(query.peek()).toString()) return;
    const all = new Map([...selected.peek(), ...entries.map((entry) => [entry.id, entry] as const)]);
    selected.value = new Map([...all].slice(0, mostSelected));
    if (all.size > mostSelected || (from === 0 && count === mostSelected && total > mostSelected))
      tell(`At most ${number(mostSelected)} can be selected at once.`);
  } catch (error) {
    tell(wordsOf(error), true);
  }
}

/** Another choice shows others. */
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

/** Marks all of the choice as read, but none that came after those in view. */
export async function readAll(): Promise<void> {
  const { until = Infinity } = query.peek();
  const params = paramsOf({ ...query.peek(), until: Math.min(until, newest.at + 1) });
  await during(async () => {
    const { changed } = await post<{ readonly changed: number }>(`/api/read?${params}`, {
      all: true,
      read: true,
    });
    return `Marked ${counted(changed, 'submission')} as read.`;
  });
}

export async function deleteAll(entries: readonly Entry[]): Promise<void> {
  const gone = await each(
    entries,
    (id) => ask<ActionDone>(addressOf(id), { method: 'DELETE' }),
    (sum) => `Deleted ${sum}.`,
  );
  if (gone.includes(opened.peek() ?? '')) open(undefined);
}

export const permitted = (right: 'act' | 'erase'): readonly Entry[] =>
  [...selected.value.values()].filter(({ form }) => may(right, form));

/** Runs them in sequence, so that each is recorded. Returns the ids of those that were done. */
async function each(
  entries: readonly Entry[],
  what: (id: string) => Promise<ActionDone>,
  words: (sum: string) => string,
): Promise<readonly string[]> {
  const done: string[] = [];
  let why = '';
  await during(async () => {
    for (const [nth, { id }] of entries.entries()) {
      running.value = { done: nth, of: entries.length };
      const { isDone, words } = await what(id).catch((error: unknown) => ({
        isDone: false,
        words: wordsOf(error),
      }));
      if (isDone) done.push(id);
      else why = words;
    }
    if (why === '') return words(counted(done.length, 'submission'));
    throw new Error(`${words(`${number(done.length)} of ${counted(entries.length, 'submission')}`)} ${why}`);
  });
  return done;
}

/** Runs work on several, and says what came of it. */
export async function during(work: () => Promise<string>, keepsSelection = false): Promise<void> {
  if (running.peek()) return;
  running.value = { done: 0, of: 0 };
  try {
    tell(await work());
    if (!keepsSelection) clear();
  } catch (error) {
    tell(wordsOf(error), true);
  } finally {
    running.value = undefined;
  }
  await changed();
}
