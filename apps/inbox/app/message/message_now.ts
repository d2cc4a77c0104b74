/** The open message, and the actions on it. */
import { effect, signal } from '@preact/signals';
import type { ActionDone, ActionRequest, Entry, Mark, MessageView } from '../../src/api.ts';
import { isConnected, tell } from '../about.ts';
import { open, opened } from '../address.ts';
import { addressOf, ask, post, wordsOf } from '../ask.ts';
import { changed, cursor, entryAt, loadedEntry, painted, patch } from '../list/entries.ts';

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
export async function run(what: () => Promise<ActionDone>): Promise<boolean> {
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
