/** The keys of a mail program. */
import type { MessageView } from '../src/api.ts';
import { about, may } from './about.ts';
import { isFormsOpen, look, open, page, paramsOf, query, showPage } from './address.ts';
import { dialog } from './dialogs/dialog.tsx';
import { cursor, openAt, step, total } from './list/entries.ts';
import { openView } from './list/filters.tsx';
import { clear, extend, permitted, selectAll, selected, toggle } from './list/selection.ts';
import { current, isForSelected, mayAdd, message, toggleDone } from './message/message_now.ts';
import { startReply } from './message/reply.tsx';

interface Key {
  /** As the browser names them. */
  readonly keys: readonly string[];
  /** For the dialog that lists them. */
  readonly does: string;
  readonly run: (key: string) => unknown;
}

/** Where people can add something to what is selected or open. */
const ifAble = (run: () => unknown) => () => {
  const one = current();
  if (isForSelected() ? about.peek()?.work && permitted('act').length > 0 : one && mayAdd(one.form)) run();
};

export const keys: readonly Key[] = [
  { keys: ['j', 'ArrowDown'], does: 'Older submission', run: () => step(1) },
  { keys: ['k', 'ArrowUp'], does: 'Newer submission', run: () => step(-1) },
  { keys: ['Home'], does: 'Newest submission', run: () => step(-Infinity) },
  { keys: ['End'], does: 'Oldest submission', run: () => step(Infinity) },
  { keys: ['o', 'Enter'], does: 'Open', run: () => total.peek() && openAt(cursor.peek()) },
  { keys: ['u', 'Escape'], does: 'Back to the list', run: back },
  { keys: ['/'], does: 'Search', run: () => document.getElementById('search')?.focus() },
  { keys: ['x', ' '], does: 'Select', run: () => toggle(cursor.peek()) },
  { keys: ['X'], does: 'Select a range up to here', run: () => extend(cursor.peek()) },
  { keys: ['*'], does: 'Select all or none', run: selectAll },
  {
    keys: ['#', 'Delete'],
    does: 'Delete',
    run: () => {
      const of = selected.peek().size;
      const one = current();
      const entries = of > 0 ? permitted('erase') : one && may('erase', one.form) ? [one] : [];
      if (entries.length > 0) dialog.value = { kind: 'delete', entries, ...(of > 0 && { of }) };
    },
  },
  { keys: ['v'], does: 'Numbers', run: () => look('numbers') },
  { keys: ['r'], does: 'Reply', run: () => message.peek() && startReply(message.peek() as MessageView) },
  { keys: ['e'], does: 'Mark as done, or reopen', run: ifAble(toggleDone) },
  { keys: ['l'], does: 'Label', run: ifAble(() => (dialog.value = { kind: 'labels' })) },
  { keys: ['a'], does: 'Assign', run: ifAble(() => (dialog.value = { kind: 'assign' })) },
  { keys: ['n'], does: 'Write a note', run: () => document.getElementById('note')?.focus() },
  {
    keys: ['s'],
    does: 'Save the filters as a view',
    run: () => {
      if (about.peek()?.work && paramsOf(query.peek()).size > 0) dialog.value = { kind: 'view' };
    },
  },
  {
    keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
    does: 'Open a view',
    run: (key) => {
      const view = about.peek()?.work?.views[Number(key) - 1];
      if (view) openView(view);
    },
  },
  { keys: ['?'], does: 'Show these keys', run: () => (dialog.value = { kind: 'help' }) },
];

const byKey = new Map(keys.flatMap((one) => one.keys.map((key) => [key, one])));

export function listen(): void {
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (ctrlKey || metaKey || altKey || event.defaultPrevented || dialog.peek()) return;
    if (target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]')) return;
    if (page.peek() !== undefined) {
      if (/^(?:Escape|u|v)$/.test(key)) showPage(undefined);
      return;
    }
    // Buttons and links have the Enter key for themselves, and scrolling texts the arrows.
    const isControl = target instanceof HTMLElement && target.matches('button, a, summary');
    const isInList = !(target instanceof HTMLElement) || !target.closest('.right') || target.matches('h2');
    if ((/^(?:Enter| )$/.test(key) && isControl) || (/^(?: |Arrow|Home|End)/.test(key) && !isInList)) return;
    const found = byKey.get(key);
    if (!found) return;
    event.preventDefault();
    void found.run(key);
  });
}

function back(): void {
  if (isFormsOpen.peek()) isFormsOpen.value = false;
  else if (selected.peek().size > 0) clear();
  else open(undefined);
  // Narrow windows show the list again by then, and no other key comes in between.
  queueMicrotask(() => document.querySelector<HTMLElement>('.list')?.focus());
}
