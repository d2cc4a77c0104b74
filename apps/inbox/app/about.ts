/** The forms, the person and the server's news. */
import { computed, effect, signal } from '@preact/signals';
import type { About, Progress } from '../src/api.ts';
import { ask, goneWords, wordsOf } from './ask.ts';
import { changed } from './list/entries.ts';

export const about = signal<About | undefined>(undefined);
export const failure = signal<string | undefined>(undefined);
export const progress = signal<Progress | undefined>(undefined);
export const isConnected = signal(true);
/** A line for a short time: what an action did. */
export const notice = signal<{ readonly words: string; readonly isBad: boolean } | undefined>(undefined);

let ending: ReturnType<typeof setTimeout> | undefined;

export function tell(words: string, isBad = false): void {
  notice.value = { words, isBad };
  clearTimeout(ending);
  if (!isBad) ending = setTimeout(() => (notice.value = undefined), 8_000);
}

const forms = computed(() => new Map(about.value?.forms.map((form) => [form.id, form])));

export const titleOf = (form: string) => forms.value.get(form)?.title || form;

type Right = keyof About['forms'][number]['rights'];

/** Whether the server does it with submissions of a form. */
export const may = (right: Right, form: string) => forms.value.get(form)?.rights[right] ?? false;

export const mayIn = (right: Right) => about.value?.forms.filter(({ rights }) => rights[right]) ?? [];

export async function readAbout(): Promise<void> {
  try {
    about.value = await ask<About>('/api/about');
    progress.value = about.value.progress;
    failure.value = undefined;
  } catch (error) {
    const words = wordsOf(error);
    // The page says already that it connects again.
    failure.value = words === goneWords && !isConnected.peek() ? undefined : words;
  }
}

let isWaiting = false;

/** Counts are read again at most once a second. */
function readSoon(): void {
  if (isWaiting) return;
  isWaiting = true;
  setTimeout(() => {
    isWaiting = false;
    void readAbout();
  }, 1_000);
}

/** Listens to the server's news, and connects again when the connection breaks. */
export function follow(): void {
  const events = new EventSource('/api/events');
  events.addEventListener('open', () => {
    // Something may have changed meanwhile.
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
