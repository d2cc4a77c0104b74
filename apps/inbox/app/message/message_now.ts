/** The open message, and actions on it. */
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
import { about, attempt, isConnected, may, perform, readAbout } from '../about.ts';
import { open, opened } from '../address.ts';
import { addressOf, ask, post, wordsOf } from '../ask.ts';
import { changed, cursor, entryAt, loadedEntry, painted, patch } from '../list/entries.ts';
import { deleteOne, during, permitted, selected } from '../list/selection.ts';
import { counted } from '../words.ts';

export const message = signal<MessageView | undefined>(undefined);
export const messageTrouble = signal<string | undefined>(undefined);
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

/** Reloads the open message after the list learns of a change to it. Each read is recorded, so this runs once for each change. */
effect(() => {
  void painted.value;
  const shown = message.peek();
  const { entry } = loadedEntry(shown?.id ?? '') ?? {};
  if (!shown || !entry || entry.state === shown.state || followed === shown.id + entry.state) return;
  followed = shown.id + entry.state;
  void readMessage(shown.id);
});

/** Retries when the connection is back. */
effect(() => {
  const id = opened.peek();
  if (isConnected.value && messageTrouble.peek() && id !== undefined) void readMessage(id);
});

export const setRead = (id: string, read: boolean) =>
  attempt(async () => {
    await post('/api/read', { ids: [id], read });
    patch(id, { isRead: read });
    if (message.peek()?.id === id) message.value = { ...(message.peek() as MessageView), isRead: read };
  });

export const act = (id: string, { action, ...body }: ActionRequest) =>
  run(async () => {
    const done = await post<ActionDone>(`${addressOf(id)}/${action}`, body);
    if (opened.peek() === id) await readMessage(id);
    return done;
  });

export const mark = async (id: string, as: Mark): Promise<void> => {
  if (await act(id, { action: 'mark', mark: as })) patch(id, { mark: as });
};

export async function remove(id: string): Promise<void> {
  const isDone = await run(() => deleteOne(id));
  if (!isDone) return;
  if (opened.peek() === id) open(undefined);
  await changed();
}

/** Runs one action at a time. */
async function run(action: () => Promise<ActionDone>): Promise<boolean> {
  if (isBusy.peek()) return false;
  isBusy.value = true;
  const isDone = await perform(action);
  isBusy.value = false;
  return isDone;
}

/** The open message; if none is open, the row with keyboard focus. */
export function current(): Entry | undefined {
  const id = opened.peek();
  if (id === undefined) return entryAt(cursor.peek());
  return message.peek()?.id === id ? message.peek() : loadedEntry(id)?.entry;
}

// Changes labels, notes and assignments of the open message, the focused row or the selected submissions.

/** Whether this person may change the work on submissions of a form. */
export const mayAdd = (form: string) => about.value?.work !== undefined && may('act', form);

function show(id: string, detail: WorkDetail): void {
  const shown = message.peek();
  if (shown?.id === id) message.value = { ...shown, detail, work: detail };
  patch(id, { work: detail });
}

async function save(id: string, path: string, body: object): Promise<boolean> {
  const isSaved = await attempt(async () =>
    show(id, await post<WorkDetail>(`${addressOf(id)}/${path}`, body)),
  );
  if (!isSaved) await readDetail(id);
  return isSaved;
}

async function readDetail(id: string): Promise<void> {
  try {
    show(id, await ask<WorkDetail>(`${addressOf(id)}/work`));
  } catch {
    // The list shows the error.
  }
}

/** Somebody else changed the message: the list hears of it first. */
effect(() => {
  void painted.value;
  const shown = message.peek();
  const version = loadedEntry(shown?.id ?? '')?.entry.work?.version;
  if (shown?.detail && version !== undefined && version > shown.detail.version) void readDetail(shown.id);
});

/** The submissions that a key or button acts on: the selected ones, else the open one. */
export const isForSelected = () => selected.peek().size > 0;

/**
 * Changes all of them.
 *
 * @param words Message for several, such as `Marked 3 submissions as done.`
 * @param keepsSelection Whether another change follows.
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

/** Marks as done, or reopens if all of them are done. */
export function toggleDone(): Promise<void> {
  const entries = isForSelected() ? permitted('act') : [current()];
  return setDone(!entries.every((entry) => entry?.work?.isDone));
}

export const addNote = (id: string, text: string) => save(id, 'notes', { text });
export const removeNote = (id: string, nth: number) => save(id, `notes/${nth}`, { text: '' });

/** Ignores errors; the next save retries. */
export const saveDraft = (id: string, draft: Draft) =>
  attempt(async () => {
    const detail = await post<WorkDetail>(`${addressOf(id)}/draft`, draft);
    const shown = message.peek();
    if (shown?.id === id) message.value = { ...shown, detail };
  });

export async function sendReply(id: string, reply: ReplyRequest): Promise<boolean> {
  const isDone = await run(() => post<ActionDone>(`${addressOf(id)}/reply`, reply));
  await readDetail(id);
  void changed();
  return isDone;
}
