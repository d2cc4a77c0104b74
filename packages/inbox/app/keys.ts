/** The keys of a mail program. */
import { may } from './about.ts';
import { open, opened } from './address.ts';
import { dialog } from './dialogs/shown.ts';
import { waitingOf } from './letter/action_bar.tsx';
import { act, currentId, letter, mark, openCurrent, toggleRead } from './letter/letter_now.ts';
import { step } from './list/entries.ts';

export function listen(): void {
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (ctrlKey || metaKey || altKey || event.defaultPrevented || dialog.peek()) return;
    if (target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]')) return;
    // Buttons and links have the Enter key for themselves, and scrolling texts the arrows.
    const isControl = target instanceof HTMLElement && target.matches('button, a, summary');
    const isInList = !(target instanceof HTMLElement) || !target.closest('.right') || target.matches('h2');
    if ((key === 'Enter' && isControl) || (key.startsWith('Arrow') && !isInList)) return;
    const run = actions[key];
    if (!run) return;
    event.preventDefault();
    void run();
  });
}

const act1 = (what: (id: string) => unknown) => () => {
  const id = currentId();
  return id !== undefined && may('act') ? what(id) : undefined;
};

/** The open letter. */
const now = () =>
  opened.peek() !== undefined && letter.peek()?.id === opened.peek() ? letter.peek() : undefined;

const actions: Readonly<Record<string, () => unknown>> = {
  j: () => step(1),
  ArrowDown: () => step(1),
  k: () => step(-1),
  ArrowUp: () => step(-1),
  Enter: openCurrent,
  u: () => {
    open(undefined);
    document.querySelector<HTMLElement>('.list')?.focus();
  },
  r: toggleRead,
  s: act1((id) => mark(id, 'spam')),
  h: act1((id) => mark(id, 'ham')),
  d: act1((id) => {
    const shown = now();
    const waiting = shown && shown.state !== 'aside' && waitingOf(shown);
    return waiting ? act(id, { action: 'deliver', output: waiting.output }) : undefined;
  }),
  '#': () => {
    const shown = now();
    if (shown && may('erase')) dialog.value = { kind: 'delete', letter: shown };
  },
  p: () => {
    if (now()) print();
  },
  '?': () => {
    dialog.value = { kind: 'help' };
  },
  '/': () => document.getElementById('search')?.focus(),
};
