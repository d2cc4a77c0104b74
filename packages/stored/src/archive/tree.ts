/** An archive as a tree of folders. */
import { droppedFolder, inClear } from '@form-relay/more-outputs/archive_layout';
import type { Choice, Entry, Tell, Trouble } from './archive.ts';
import { entryAt, entryOfFolder, isChosen } from './archive.ts';

export interface Tree {
  /** In the order of names; a missing folder is empty, but not the tree itself (`''`). Throws a `ClientError`. */
  list(folder: string): AsyncIterable<Thing>;
}

export interface Thing {
  /** Without the folder. */
  readonly name: string;
  /** `other`: a link, a pipe, a device. Never followed or read. */
  readonly kind: 'folder' | 'file' | 'other';
}

/** The submissions of a choice. The names of one day are held, and nothing else. */
export async function* entriesInTree(tree: Tree, choice: Choice, tell: Tell): AsyncGenerator<Entry> {
  for await (const { folder } of days(tree, choice, tell)) {
    for await (const thing of tree.list(folder)) {
      if (isUnfinished(thing)) continue;
      const path = `${folder}/${thing.name}`;
      const entry = thing.kind === 'file' ? entryAt(path) : undefined;
      if (entry) {
        if (isChosen(entry, choice)) yield entry;
      } else if (thing.kind !== 'folder' || !entryOfFolder(path)) {
        tell(foreign(folder, thing));
      }
    }
  }
}

/** A day of a form. */
export interface Day extends Span {
  readonly form: string;
  readonly folder: string;
}

/** Forms by their name or by any rule, and times. */
interface DayChoice extends Choice {
  readonly isMeant?: (form: string) => boolean;
}

/** The days in which something of a choice may stand: form after form. */
export async function* days(tree: Tree, choice: DayChoice, tell: Tell): AsyncGenerator<Day> {
  const { form: only, isMeant = (form) => only === undefined || form === only } = choice;
  for await (const segment of folders(tree, '', isForm, tellUnlessDropped(tell))) {
    const form = inClear(segment) ?? '';
    if (!isMeant(form)) continue;
    for await (const year of folders(tree, segment, isYear, tell)) {
      if (isOutside(yearSpan(year), choice)) continue;
      for await (const month of folders(tree, `${segment}/${year}`, isMonth, tell)) {
        if (isOutside(monthSpan(year, month), choice)) continue;
        const folder = `${segment}/${year}/${month}`;
        const isDay = (name: string) => daySpan(year, month, name) !== undefined;
        for await (const day of folders(tree, folder, isDay, tell)) {
          const span = daySpan(year, month, day);
          if (span && !isOutside(span, choice)) yield { ...span, form, folder: `${folder}/${day}` };
        }
      }
    }
  }
}

/** Rejected submissions form an archive of their own. */
const tellUnlessDropped =
  (tell: Tell): Tell =>
  (trouble) => {
    if (trouble.path !== droppedFolder && !isSweepFile(trouble.path)) tell(trouble);
  };

/** A file of the relay's own at the root of an archive: it says when older ones were removed. */
export const isSweepFile = (name: string): boolean => /^\.[^/]+\.swept$/.test(name);

const isOutside = ({ from, to }: Span, { since = -Infinity, until = Infinity }: Choice) =>
  to <= since || from >= until;

const isForm = (name: string) => inClear(name) !== undefined;
const isYear = (name: string) => /^[1-9]\d{3}$/.test(name);
const isMonth = (name: string) => /^(0[1-9]|1[0-2])$/.test(name);

/** The folders in a folder whose names are right. All else does not belong there. */
async function* folders(
  tree: Tree,
  folder: string,
  isRight: (name: string) => boolean,
  tell: Tell,
): AsyncGenerator<string> {
  for await (const thing of tree.list(folder)) {
    if (thing.kind === 'folder' && isRight(thing.name)) yield thing.name;
    else tell(foreign(folder, thing));
  }
}

/** The problem of a file or folder that does not belong to an archive. */
export const foreign = (folder: string, { name, kind }: Thing): Trouble => ({
  kind: 'foreign',
  path: folder === '' ? name : `${folder}/${name}`,
  what: kind === 'other' ? 'is a link or a device; left alone' : 'is no part of an archive; left alone',
});

/** A file that the relay is writing, or was when it was ended. */
export const isUnfinished = ({ kind, name }: Thing): boolean => kind === 'file' && /^\..+\.tmp$/.test(name);

/** From its first millisecond up to that of the next, in UTC; milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const dayMs = 86_400_000;

/** `undefined` for a day that no calendar has. */
export function daySpan(year: string, month: string, day: string): Span | undefined {
  const from = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  // 30 February is read as 2 March.
  const isReal = !Number.isNaN(from) && new Date(from).getUTCDate() === Number(day);
  return isReal ? { from, to: from + dayMs } : undefined;
}

/** `month` from `01` to `12`. */
export function monthSpan(year: string, month: string): Span {
  const from = Date.parse(`${year}-${month}-01T00:00:00Z`);
  return { from, to: new Date(from).setUTCMonth(Number(month)) };
}

export const yearSpan = (year: string): Span => ({
  from: monthSpan(year, '01').from,
  to: monthSpan(year, '12').to,
});
