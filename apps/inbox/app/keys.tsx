/** Keyboard shortcuts, as in mail programs, and the dialog that lists them. */
import type { MessageView } from '../src/api.ts';
import { about, may } from './about.ts';
import { isFormsOpen, look, open, page, paramsOf, query, showPage } from './address.ts';
import { Dialog, dialog } from './controls.tsx';
import { Delete } from './dialogs/dialogs.tsx';
import { Assign, Labels, SaveView } from './dialogs/pick.tsx';
import { cursor, openAt, step, total } from './list/entries.ts';
import { openView } from './list/filters.tsx';
import { clear, extend, permitted, selectAll, selected, toggle } from './list/selection.ts';
import { current, isForSelected, mayAdd, message, toggleDone } from './message/message_now.ts';
import { startReply } from './message/reply.tsx';

interface Key {
  /** Key names as in `KeyboardEvent.key`. */
  readonly keys: readonly string[];
  readonly does: string;
  readonly run: (key: string) => unknown;
}

/** Runs an action only where the person may change the selected or open submissions. */
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
      if (entries.length > 0) dialog.value = <Delete entries={entries} {...(of > 0 && { of })} />;
    },
  },
  { keys: ['v'], does: 'Numbers', run: () => look('numbers') },
  { keys: ['r'], does: 'Reply', run: () => message.peek() && startReply(message.peek() as MessageView) },
  { keys: ['e'], does: 'Mark as done, or reopen', run: ifAble(toggleDone) },
  { keys: ['l'], does: 'Label', run: ifAble(() => (dialog.value = <Labels />)) },
  { keys: ['a'], does: 'Assign', run: ifAble(() => (dialog.value = <Assign />)) },
  { keys: ['n'], does: 'Write a note', run: () => document.getElementById('note')?.focus() },
  {
    keys: ['s'],
    does: 'Save the filters as a view',
    run: () => {
      if (about.peek()?.work && paramsOf(query.peek()).size > 0) dialog.value = <SaveView />;
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
  { keys: ['?'], does: 'Show these keys', run: () => (dialog.value = <Help />) },
];

const names: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  Escape: 'Esc',
  Delete: 'Del',
  ' ': 'Space',
};

export const Help = () => (
  <Dialog title="Keys">
    <dl class="keys">
      {keys.map(({ keys, does }) => (
        <div key={does}>
          <dt>
            {(keys.length > 4 ? [`${keys[0]}–${keys.at(-1)}`] : keys).map((key) => (
              <kbd key={key}>{names[key] ?? (/^[A-Z]$/.test(key) ? `Shift ${key.toLowerCase()}` : key)}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);

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
    // Buttons and links keep the Enter key, and scrolling texts keep the arrow keys.
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
  // Waits until narrow windows show the list again; no other key is handled before then.
  queueMicrotask(() => document.querySelector<HTMLElement>('.list')?.focus());
}
