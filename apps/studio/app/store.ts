/** The page's state. The config's text belongs to the editor; all else follows it. */
import { computed, signal } from '@preact/signals';
import { edit } from '../edit/edit.ts';
import type { Action, Change, Path } from '../edit/model.ts';
import { type ConfigText, readConfig } from '../edit/read.ts';
import type { ReportState, StudioState } from '../src/state.ts';
import { built, type History, propose, text } from './pending.ts';
import { valueAt } from './schema_nodes.ts';

/** As the server last said. */
export const state = signal<StudioState | undefined>(undefined);
/** The newest first. */
export const reports = signal<readonly ReportState[]>([]);
/** The number of the last report before this page was opened; `undefined` until the server has sent it. */
export const knownBefore = signal<number | undefined>(undefined);
/** How many submissions are under way now. */
export const busy = signal(0);
/** The connection to the server is lost. */
export const isLost = signal(false);

export { text } from './pending.ts';

const latest = computed(() => readConfig(built.value));
/** The text is not YAML, as while a line is being typed. */
export const isUnreadable = computed(() => latest.value.value === undefined);
let lastReadable: ConfigText | undefined;
/** The config as the builder shows it, with what is pending; as it last was while the text is not YAML. */
export const config = computed(() => {
  if (!isUnreadable.value) lastReadable = latest.value;
  return lastReadable ?? latest.value;
});
/** The config as the text has it. */
export const written = computed(() => readConfig(text.value));
/** There is no config yet: a new file, or none. */
export const isEmpty = computed(() => text.value.trim() === '');

/** The id of the form that is shown. */
export const formId = computed(() => state.value?.form?.id);
/** The field, output or form that is edited by hand. */
export const selected = signal<Path | undefined>(undefined);

/** The last thing that happened, for screen readers. */
export const said = signal('');
export const say = (words: string) => {
  said.value = words;
};
/** Something to be read at once, such as why an edit has to be made as text; it goes with the next click. */
export const notice = signal('');

/** The editor of the text (code/). */
export interface Editor extends History {
  /** Brings the key or item into view, and marks it. */
  show(path: Path): void;
  focus(): void;
}
export const editor = signal<Editor | undefined>(undefined);

/** Works on what stands at the path, and shows it in the text. */
export function showPath(path: Path): void {
  selected.value = path;
  editor.value?.show(path);
}

/** Writes words that were typed into a control and are not in the text yet; each removes itself. */
export const unwritten = new Set<() => void>();
/** Writes them all. Actions that move items, and those that use the text, need this first. */
export function settle(): void {
  for (const write of [...unwritten]) write();
}

let step: object | undefined;
/** Joins what `edit` does to the step of undo that was begun with the same object, unless something else was done meanwhile. */
export function inOneStep(begun: object, edit: () => void): void {
  const around = step;
  step = begun;
  try {
    edit();
  } finally {
    step = around;
  }
}

/** The form, or the item of a list, in which a path is, went while somebody typed there, as after undo. */
function isGone(path: Path): boolean {
  const around = path.slice(0, -1);
  const last = around.findLastIndex((key) => typeof key === 'number');
  const item = around.slice(0, Math.max(last + 1, 2));
  return around.length > 1 && around[0] === 'forms' && valueAt(item, config.value.value) === undefined;
}

/** Edits the config by hand: `words` say what was done. `false` where it has to be edited as text. */
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

/** The same with changes of the text that the builder shows. */
export function changeText(changes: readonly Change[], words: string, make = propose): boolean {
  notice.value = state.value?.file.locked ?? '';
  if (notice.value !== '') return false;
  make(changes, step);
  say(words);
  return true;
}
