/** The open message, and the actions on it. */
import { effect, signal } from '@preact/signals';
import type {
  ActionDone,
  ActionRequest,
  Draft,
  Entry,
  Mark,
  MessageView,
  ReplyRequest,
  WorkChange,
  WorkDetail,
} from '../../src/api.ts';
import { about, isConnected, may, readAbout, tell } from '../about.ts';
import { open, opened } from '../address.ts';
import { addressOf, ask, post, wordsOf } from '../ask.ts';
import { changed, cursor, entryAt, loadedEntry, painted, patch } from '../list/entries.ts';
import { during, permitted, selected } from '../list/selection.ts';
import { counted } from '../words.ts';

export const message = signal<MessageView | undefined>(undefined);
export const messageTrouble = signal<string | undefined>(undefined);
/** An action runs. */
export const isBusy = signal(false);

export async function readMessage(id: string): Promise<void> {
  messageTrouble.value = undefined;
  try {
    const got = await ask<MessageView>(addressOf(id));
    if (opened.peek() !== id) return;
    message.value = got;
    if (!got.isRead) await setRead(id, true);
  } catch (error) {
    if (opened.peek() === id) messageTrouble.value = wordsOf(error);
  }
}

let followed = '';

/**
 * Once the list has learnt of a change to the open message, it shows here, too. Reading it again is recorded, so once
 * for each change.
 */
effect(() => {
  void painted.value;
  const shown = message.peek();
  const { entry } = loadedEntry(shown?.id ?? '') ?? {};
  if (!shown || !entry || entry.state === shown.state || followed === shown.id + entry.state) return;
  followed = shown.id + entry.state;
  void readMessage(shown.id);
});

/** Without a click, once the connection is back. */
effect(() => {
  const id = opened.peek();
  if (isConnected.value && messageTrouble.peek() && id !== undefined) void readMessage(id);
});

export async function setRead(id: string, read: boolean): Promise<void> {
  try {
    await post('/api/read', { ids: [id], read });
    patch(id, { isRead: read });
    if (message.peek()?.id === id) message.value = { ...(message.peek() as MessageView), isRead: read };
  } catch (error) {
    tell(wordsOf(error), true);
  }
}

/** Runs an action and says what came of it. */
export async function act(id: string, request: ActionRequest): Promise<boolean> {
  return run(async () => {
    const { action, ...body } = request;
    const done = await post<ActionDone>(`${addressOf(id)}/${action}`, body);
    if (opened.peek() === id) await readMessage(id);
    return done;
  });
}

export const mark = async (id: string, as: Mark): Promise<void> => {
  if (await act(id, { action: 'mark', mark: as })) patch(id, { mark: as });
};

export async function remove(id: string): Promise<void> {
  const isDone = await run(() => ask<ActionDone>(addressOf(id), { method: 'DELETE' }));
  if (!isDone) return;
  if (opened.peek() === id) open(undefined);
  await changed();
}

/** Runs one action at a time, and says how it ended. */
async function run(what: () => Promise<ActionDone>): Promise<boolean> {
  if (isBusy.peek()) return false;
  isBusy.value = true;
  try {
    const { isDone, words } = await what();
    tell(words, !isDone);
    return isDone;
  } catch (error) {
    tell(wordsOf(error), true);
    return false;
  } finally {
    isBusy.value = false;
  }
}

/** The open message, or while none is open, the row at the keyboard's place. */
export function current(): Entry | undefined {
  const id = opened.peek();
  if (id === undefined) return entryAt(cursor.peek());
  return message.peek()?.id === id ? message.peek() : loadedEntry(id)?.entry;
}

// Adds work to the open message, to the row at the keyboard's place, and to the selected submissions.

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
