/** The page's state. The editor owns the config's text; everything else is derived. */
import { computed, signal } from '@preact/signals';
import { edit } from '../edit/edit.ts';
import { type Action, type Change, type Path, valueAt } from '../edit/model.ts';
import { type ConfigText, readConfig } from '../edit/read.ts';
import type { ReportState, StudioState } from '../src/state.ts';
import { built, type History, propose, text } from './pending.ts';

/** The server's last state. */
export const state = signal<StudioState | undefined>(undefined);
/** Newest first. */
export const reports = signal<readonly ReportState[]>([]);
/** The number of the last report before this page was opened; `undefined` until the server has sent it. */
export const knownBefore = signal<number | undefined>(undefined);
/** The number of submissions being processed. */
export const busy = signal(0);
/** Whether the connection to the server is lost. */
export const isLost = signal(false);

export { text } from './pending.ts';

const latest = computed(() => readConfig(built.value));
/** Whether the text is not YAML, such as while a line is being typed. */
export const isUnreadable = computed(() => latest.value.value === undefined);
let lastReadable: ConfigText | undefined;
/** The config with pending changes; while the text is not YAML, the last readable version. */
export const config = computed(() => {
  if (!isUnreadable.value) lastReadable = latest.value;
  return lastReadable ?? latest.value;
});
/** The config in the text. */
export const written = computed(() => readConfig(text.value));
/** Whether there is no config yet: the file is missing or empty. */
export const isEmpty = computed(() => text.value.trim() === '');

/** The id of the current form. */
export const formId = computed(() => state.value?.form?.id);
/** The field, output or form being edited. */
export const selected = signal<Path | undefined>(undefined);

/** The last announcement for screen readers. */
export const said = signal('');
export const say = (words: string) => {
  said.value = words;
};
/** An alert, such as why an edit must be made as text; the next click hides it. */
export const notice = signal('');

/** The text editor (code/). */
export interface Editor extends History {
  /** Reveals and highlights the key or item. */
  show(path: Path): void;
  focus(): void;
}
export const editor = signal<Editor | undefined>(undefined);

/** Selects the item at the path, and shows it in the text. */
export function showPath(path: Path): void {
  selected.value = path;
  editor.value?.show(path);
}

/** Callbacks that write typed text which is not in the config yet; each removes itself. */
export const unwritten = new Set<() => void>();
/** Writes all of it. Call before moving items, and before using the text. */
export function settle(): void {
  for (const write of [...unwritten]) write();
}

let step: object | undefined;
/** Adds the changes of `edit` to the undo step of the same object, unless another change came between. */
export function inOneStep(begun: object, edit: () => void): void {
  const around = step;
  step = begun;
  try {
    edit();
  } finally {
    step = around;
  }
}

/** Whether the form or list item around a path was removed while a person typed in it, such as by undo. */
function isGone(path: Path): boolean {
  const around = path.slice(0, -1);
  const last = around.findLastIndex((key) => typeof key === 'number');
  const item = around.slice(0, Math.max(last + 1, 2));
  return around.length > 1 && around[0] === 'forms' && valueAt(config.value.value, item) === undefined;
}

/** Edits the config: `words` describe the change. Returns `false` if it must be edited as text. */
export function act(actions: Action | readonly Action[], words: string): boolean {
  const [first] = [actions].flat() as Action[];
  if (first && isGone(first.path)) return false;
  const edited = edit(built.value, actions);
  if (!edited.ok) {
    notice.value = edited.says;
    return false;
  }
  return changeText(edited.changes, words);
}

/** The same for changes to the builder's text. */
export function changeText(changes: readonly Change[], words: string, make = propose): boolean {
  notice.value = state.value?.file.locked ?? '';
  if (notice.value !== '') return false;
  make(changes, step);
  say(words);
  return true;
}
