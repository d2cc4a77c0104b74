/** The keys of a mail program. */
import type { Entry } from '../src/api.ts';
import { may } from './about.ts';
import { open, opened } from './address.ts';
import { dialog } from './dialogs/dialog.tsx';
import { isFormsOpen } from './forms.tsx';
import { waitingOf } from './letter/action_bar.tsx';
import { act, current, letter, mark, openCurrent, printCurrent, setRead } from './letter/letter_now.ts';
import { cursor, step } from './list/entries.ts';
import {
  clear,
  extend,
  markSelected,
  permitted,
  readSelected,
  selectAll,
  selected,
  toggle,
} from './list/selection.ts';

interface Key {
  /** As the browser names them. */
  readonly keys: readonly string[];
  /** For the dialog that lists them. */
  readonly does: string;
  readonly run: () => unknown;
}

/** With all that are selected, if any are. */
const withSelected = (many: () => unknown, one: () => unknown) => () =>
  selected.peek().size > 0 ? many() : one();

/** With the open letter, or the row at the keyboard's place. */
const withCurrent = (run: (entry: Entry) => unknown) => () => {
  const entry = current();
  return entry && run(entry);
};

const acting = (run: (id: string) => unknown) =>
  withCurrent(({ id, form }) => (may('act', form) ? run(id) : undefined));

export const keys: readonly Key[] = [
  { keys: ['j', 'ArrowDown'], does: 'Older submission', run: () => step(1) },
  { keys: ['k', 'ArrowUp'], does: 'Newer submission', run: () => step(-1) },
  { keys: ['Home'], does: 'Newest submission', run: () => step(-Infinity) },
  { keys: ['End'], does: 'Oldest submission', run: () => step(Infinity) },
  { keys: ['o', 'Enter'], does: 'Open', run: openCurrent },
  { keys: ['u', 'Escape'], does: 'Back to the list', run: back },
  { keys: ['/'], does: 'Search', run: () => document.getElementById('search')?.focus() },
  {
    keys: ['r'],
    does: 'Read or unread',
    run: withCurrent(({ id, isRead }) => setRead(id, !isRead)),
  },
  { keys: ['x', ' '], does: 'Select', run: () => toggle(cursor.peek()) },
  { keys: ['X'], does: 'Select up to here', run: () => extend(cursor.peek()) },
  { keys: ['*'], does: 'Select all or none', run: selectAll },
  {
    keys: ['I'],
    does: 'Mark as read',
    run: withSelected(
      () => readSelected(true),
      withCurrent(({ id }) => setRead(id, true)),
    ),
  },
  {
    keys: ['U'],
    does: 'Mark as unread',
    run: withSelected(
      () => readSelected(false),
      withCurrent(({ id }) => setRead(id, false)),
    ),
  },
  {
    keys: ['s', '!'],
    does: 'Mark as spam',
    run: withSelected(
      () => markSelected('spam'),
      acting((id) => mark(id, 'spam')),
    ),
  },
  {
    keys: ['h'],
    does: 'Mark as not spam',
    run: withSelected(
      () => markSelected('ham'),
      acting((id) => mark(id, 'ham')),
    ),
  },
  { keys: ['a'], does: 'Reply', run: () => document.getElementById('reply')?.click() },
  {
    keys: ['d'],
    does: 'Deliver now',
    run: acting((id) => {
      const shown = letter.peek()?.id === opened.peek() ? letter.peek() : undefined;
      const waiting = shown && waitingOf(shown);
      return waiting && act(id, { action: 'deliver', output: waiting.output });
    }),
  },
  {
    keys: ['#', 'Delete'],
    does: 'Delete',
    run: withSelected(
      () => askToDelete(permitted('erase'), selected.peek().size),
      withCurrent((entry) => askToDelete(may('erase', entry.form) ? [entry] : [])),
    ),
  },
  { keys: ['p'], does: 'Print', run: printCurrent },
  { keys: ['?'], does: 'Show these keys', run: () => (dialog.value = { kind: 'help' }) },
];

const askToDelete = (entries: readonly Entry[], of?: number) => {
  if (entries.length > 0) dialog.value = { kind: 'delete', entries, ...(of !== undefined && { of }) };
};

const byKey = new Map(keys.flatMap((one) => one.keys.map((key) => [key, one])));

export function listen(): void {
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (ctrlKey || metaKey || altKey || event.defaultPrevented || dialog.peek()) return;
    if (target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]')) return;
    // Buttons and links have the Enter key for themselves, and scrolling texts the arrows.
    const isControl = target instanceof HTMLElement && target.matches('button, a, summary');
    const isInList = !(target instanceof HTMLElement) || !target.closest('.right') || target.matches('h2');
    if ((/^(?:Enter| )$/.test(key) && isControl) || (/^(?: |Arrow|Home|End)/.test(key) && !isInList)) return;
    const found = byKey.get(key);
    if (!found) return;
    event.preventDefault();
    void found.run();
  });
}

function back(): void {
  if (isFormsOpen.peek()) isFormsOpen.value = false;
  else if (selected.peek().size > 0) clear();
  else open(undefined);
  // Narrow windows show the list again by then.
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.list')?.focus());
}
