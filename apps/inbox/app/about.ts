/** Signals for the forms, the signed-in person and server events. */
import { computed, effect, signal } from '@preact/signals';
import type { About, ActionDone, Progress } from '../src/api.ts';
import { ask, goneWords, wordsOf } from './ask.ts';
import { changed } from './list/entries.ts';

export const about = signal<About | undefined>(undefined);
export const failure = signal<string | undefined>(undefined);
export const progress = signal<Progress | undefined>(undefined);
export const isConnected = signal(true);
/** A message shown briefly after an action. */
export const notice = signal<{ readonly words: string; readonly isBad: boolean } | undefined>(undefined);

let ending: ReturnType<typeof setTimeout> | undefined;

export function notify(words: string, isBad = false): void {
  notice.value = { words, isBad };
  clearTimeout(ending);
  if (!isBad) ending = setTimeout(() => (notice.value = undefined), 8_000);
}

/** Runs `work` and shows why it failed. Returns whether it succeeded. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    notify(wordsOf(error), true);
    return false;
  }
}

/** Runs an action and shows its result. Returns whether it succeeded. */
export async function perform(action: () => Promise<ActionDone>): Promise<boolean> {
  let isDone = false;
  await attempt(async () => {
    const done = await action();
    isDone = done.isDone;
    notify(done.words, !isDone);
  });
  return isDone;
}

const forms = computed(() => new Map(about.value?.forms.map((form) => [form.id, form])));

export const titleOf = (form: string) => forms.value.get(form)?.title || form;

type Right = keyof About['forms'][number]['rights'];

/** Whether the person has this right in a form. */
export const may = (right: Right, form: string) => forms.value.get(form)?.rights[right] ?? false;

export const mayIn = (right: Right) => about.value?.forms.filter(({ rights }) => rights[right]) ?? [];

export async function readAbout(): Promise<void> {
  try {
    about.value = await ask<About>('/api/about');
    progress.value = about.value.progress;
    failure.value = undefined;
  } catch (error) {
    const words = wordsOf(error);
    // The page already says that it is reconnecting.
    failure.value = words === goneWords && !isConnected.peek() ? undefined : words;
  }
}

let isWaiting = false;

/** Reads the counts at most once a second. */
function readSoon(): void {
  if (isWaiting) return;
  isWaiting = true;
  setTimeout(() => {
    isWaiting = false;
    void readAbout();
  }, 1_000);
}

/** Subscribes to server events, and reconnects when the connection breaks. */
export function follow(): void {
  const events = new EventSource('/api/events');
  events.addEventListener('open', () => {
    // Events may have been missed while disconnected.
    if (!isConnected.peek()) void changed();
    if (notice.peek()?.words === goneWords) notice.value = undefined;
    isConnected.value = true;
    readSoon();
  });
  events.addEventListener('change', () => {
    void changed();
    readSoon();
  });
  events.addEventListener('learning', readSoon);
  events.addEventListener('progress', ({ data }) => {
    progress.value = (JSON.parse(data) as Progress | null) ?? undefined;
    if (!progress.peek()) readSoon();
  });
  events.addEventListener('error', () => {
    isConnected.value = false;
    if (failure.peek() === goneWords) failure.value = undefined;
    if (events.readyState === EventSource.CLOSED) setTimeout(follow, 3_000);
  });
}

effect(() => {
  const unread = about.value?.forms.reduce((all, form) => all + form.unread, 0) ?? 0;
  document.title = unread > 0 ? `(${unread}) Inbox` : 'Inbox';
});
