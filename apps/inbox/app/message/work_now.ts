/** Adds work to the open message, to the row at the keyboard's place, and to the selected submissions. */
import { effect } from '@preact/signals';
import type { ActionDone, Draft, ReplyRequest, WorkChange, WorkDetail } from '../../src/api.ts';
import { about, may, readAbout, tell } from '../about.ts';
import { addressOf, ask, post, wordsOf } from '../ask.ts';
import { changed, loadedEntry, painted, patch } from '../list/entries.ts';
import { during, permitted, selected } from '../list/selection.ts';
import { counted } from '../words.ts';
import { current, message, run } from './message_now.ts';

/** Whether this person adds to submissions of a form. */
export const mayAdd = (form: string) => about.value?.work !== undefined && may('act', form);

function show(id: string, detail: WorkDetail): void {
  const shown = message.peek();
  if (shown?.id === id) message.value = { ...shown, detail, work: detail };
  patch(id, { work: detail });
}

/** @returns Whether it was saved. */
async function save(id: string, path: string, body: object): Promise<boolean> {
  try {
    show(id, await post<WorkDetail>(`${addressOf(id)}/${path}`, body));
    return true;
  } catch (error) {
    tell(wordsOf(error), true);
    await readDetail(id);
    return false;
  }
}

async function readDetail(id: string): Promise<void> {
  try {
    show(id, await ask<WorkDetail>(`${addressOf(id)}/work`));
  } catch {
    // The list says why.
  }
}

/** Somebody else changed it: the list knows first. */
effect(() => {
  void painted.value;
  const shown = message.peek();
  const version = loadedEntry(shown?.id ?? '')?.entry.work?.version;
  if (shown?.detail && version !== undefined && version > shown.detail.version) void readDetail(shown.id);
});

/** The submissions that a key or a button means: the selected ones, else the open one. */
export const isForSelected = () => selected.peek().size > 0;

/**
 * Changes all of them.
 *
 * @param words For several, such as `Marked 3 submissions as done.`
 * @param keepsSelection More is to be changed.
 */
export async function change(
  what: WorkChange,
  words: (sum: string) => string,
  keepsSelection = false,
): Promise<void> {
  if (isForSelected()) {
    const ids = permitted('act').map(({ id }) => id);
    await during(async () => {
      const { changed } = await post<{ readonly changed: number }>('/api/work', { ids, ...what });
      return words(counted(changed, 'submission'));
    }, keepsSelection);
  } else {
    const entry = current();
    if (!entry || !mayAdd(entry.form)) return;
    const isBased = what.isDone !== undefined || what.assigned !== undefined;
    await save(entry.id, 'work', { ...what, ...(isBased && { version: entry.work?.version ?? 0 }) });
  }
  if (what.add ?? what.assigned) await readAbout();
}

export const setDone = (isDone: boolean) =>
  change({ isDone }, (sum) => (isDone ? `Marked ${sum} as done.` : `Reopened ${sum}.`));

/** Done, unless all of them are. */
export function toggleDone(): Promise<void> {
  const entries = isForSelected() ? permitted('act') : [current()];
  return setDone(!entries.every((entry) => entry?.work?.isDone));
}

export const addNote = (id: string, text: string) => save(id, 'notes', { text });
export const removeNote = (id: string, nth: number) => save(id, `notes/${nth}`, { text: '' });

/** Quietly: the next one tries again. */
export async function saveDraft(id: string, draft: Draft): Promise<void> {
  try {
    const detail = await post<WorkDetail>(`${addressOf(id)}/draft`, draft);
    const shown = message.peek();
    if (shown?.id === id) message.value = { ...shown, detail };
  } catch (error) {
    tell(wordsOf(error), true);
  }
}

export async function sendReply(id: string, reply: ReplyRequest): Promise<boolean> {
  const isDone = await run(() => post<ActionDone>(`${addressOf(id)}/reply`, reply));
  await readDetail(id);
  void changed();
  return isDone;
}
