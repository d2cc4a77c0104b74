import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ActionDone, Entry, Letter, Window } from '../../src/api.ts';
import { may, tell } from '../about.ts';
import { chooseOnly, open } from '../address.ts';
import { addressOf, ask, post, wordsOf } from '../ask.ts';
import { changed, painted } from '../list/entries.ts';
import { Tags } from '../list/row.tsx';
import { alikeWords, counted, exactTime, shortTime } from '../words.ts';
import { isBusy, letter, readLetter } from './letter_now.ts';

/** So many are shown; the list has all. */
const mostShown = 8;
const piece = 500;

const shown = signal<{ readonly of: string; readonly entries: readonly Entry[] } | undefined>(undefined);

const windowOf = (id: string, from: number, count: number) =>
  ask<Window>(`/api/entries?${new URLSearchParams({ alike: id, from: `${from}`, count: `${count}` })}`);

async function read(id: string): Promise<void> {
  try {
    const { entries } = await windowOf(id, 0, mostShown + 1);
    if (letter.peek()?.id === id) shown.value = { of: id, entries };
  } catch (error) {
    tell(wordsOf(error), true);
  }
}

/** Marks one after the other, so that each is recorded. */
async function markAll(id: string): Promise<void> {
  if (isBusy.peek()) return;
  isBusy.value = true;
  try {
    const marked = await marksOf(id);
    tell(`Marked ${counted(marked, 'submission')} as spam.`, false);
  } catch (error) {
    tell(wordsOf(error), true);
  } finally {
    isBusy.value = false;
  }
  await Promise.all([changed(), readLetter(id)]);
}

/** How many it marked. Throws in words if one cannot be marked. */
async function marksOf(id: string): Promise<number> {
  let marked = 0;
  for (let from = 0, total = 1; from < total; from += piece) {
    const got = await windowOf(id, from, piece);
    total = got.total;
    for (const entry of got.entries) {
      if (entry.mark === 'spam') continue;
      const { isDone, words } = await post<ActionDone>(`${addressOf(entry.id)}/mark`, { mark: 'spam' });
      if (!isDone) throw new Error(`${counted(marked, 'submission')} marked as spam, then: ${words}`);
      marked += 1;
    }
  }
  return marked;
}

/** The submissions that are much like the open one. */
export function Campaign({ letter: got }: { readonly letter: Letter }) {
  const { id, alike = 1 } = got;
  const version = painted.value;
  useEffect(() => {
    if (alike > 1) void read(id);
  }, [id, alike, version]);
  if (alike === 1) return null;
  const { of, entries = [] } = shown.value ?? {};
  const others = of === id ? entries.filter((entry) => entry.id !== id).slice(0, mostShown) : [];
  return (
    <section class="part campaign">
      <h3>{alikeWords(alike)}</h3>
      <ul>
        {others.map((entry) => (
          <li key={entry.id}>
            <button type="button" onClick={() => open(entry.id)}>
              <time dateTime={new Date(entry.receivedAt).toISOString()} title={exactTime(entry.receivedAt)}>
                {shortTime(entry.receivedAt)}
              </time>
              <bdi class="sender">{entry.sender || 'No name'}</bdi>
              <bdi class="summary">{entry.summary}</bdi>
            </button>
            <Tags entry={{ ...entry, alike: undefined }} />
          </li>
        ))}
      </ul>
      <p class="campaign-do">
        <button type="button" class="tool" onClick={() => chooseOnly({ alike: id })}>
          Show all in the list
        </button>
        {may('act', got.form) && (
          <button type="button" class="tool" disabled={isBusy.value} onClick={() => void markAll(id)}>
            Mark all as spam
          </button>
        )}
      </p>
    </section>
  );
}
