import { closeSync, constants, fstatSync, lstatSync, openSync, readFile, readFileSync } from 'node:fs';
import { lstat, opendir, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ClientError } from '@form-relay/base/client_error';
import { err, ok, type Result } from '@form-relay/base/result';
import { whyUnreadable } from '@form-relay/base/text_file';
import { droppedFolder, inClear } from '@form-relay/more-outputs/archive_layout';
import {
  type Archive,
  type Choice,
  type Entry,
  entryAt,
  entryOfFolder,
  foreignAt,
  isChosen,
  type Tell,
  type Trouble,
} from './archive.ts';
import type { Removing } from './prune.ts';

/** An archive in a folder. Symbolic links in it are not followed, but the folder itself may be one. */
export const archiveInFolder = (root: string): Archive => ({
  entries: (choice, tell) => entriesInTree(treeIn(root), choice, tell),
  read: (path, mostBytes) => readPlainFile(join(root, path), mostBytes),
});

export const treeIn = (root: string): Tree => ({
  async *list(folder) {
    yield* await thingsIn(join(root, folder), folder === '');
  },
});

async function thingsIn(path: string, isRoot: boolean): Promise<readonly Thing[]> {
  const things: Thing[] = [];
  try {
    for await (const entry of await opendir(path)) {
      const isKnown = entry.isFile() || entry.isDirectory() || entry.isSymbolicLink();
      // Some file systems do not report the type of an entry.
      const stats = isKnown ? entry : await lstat(join(path, entry.name));
      const kind = stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
      things.push({ name: entry.name, kind });
    }
  } catch (error) {
    // The folder may have been removed in the meantime.
    if (!isRoot && (error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw failure(path, error);
  }
  return things.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Larger files are read asynchronously; for most documents, that would cost ten times the CPU. */
const mostAtOnce = 262_144;

async function readPlainFile(path: string, mostBytes: number): Promise<Result<Uint8Array, string>> {
  try {
    if (!lstatSync(dirname(path)).isDirectory()) return err('the folder is a symbolic link; not followed');
    // With O_NONBLOCK, opening a pipe without a writer does not block, so that it can be rejected.
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) return err('is not a file');
      if (stats.size > mostBytes) return err('is too large');
      return ok(stats.size > mostAtOnce ? await readWhole(file) : readFileSync(file));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return err(code === 'ELOOP' ? 'is a symbolic link; not followed' : whyUnreadable(error));
  }
}

const readWhole = promisify(readFile) as (file: number) => Promise<Buffer>;

/** Removes files and folders of an archive. */
export const removingIn = (root: string): Removing => ({
  removeFile: (path) => gone(unlink(join(root, path))),
  removeEmptyFolder: (path) => gone(rmdir(join(root, path))),
});

/** Removes nothing, for dry runs. */
export const removingNothing: Removing = {
  removeFile: async () => {},
  removeEmptyFolder: async () => {},
};

/** Ignores errors if a file is already gone or a folder is not empty. */
export const gone = (removal: Promise<void>) =>
  removal.catch((error: NodeJS.ErrnoException) => {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code ?? '')) throw failure(error.path ?? '', error);
  });

export const failure = (path: string, error: unknown): ClientError => {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return new ClientError(`${path}: ${reasons[code] ?? `the operation failed (${code})`}`);
};

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'this is not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
};

/** An archive as a tree of folders. */

export interface Tree {
  /** In the order of names. A missing folder is empty, but a missing root (`''`) throws a `ClientError`. */
  list(folder: string): AsyncIterable<Thing>;
}

export interface Thing {
  /** The name without the folder. */
  readonly name: string;
  /** `other`: a link, a pipe or a device, which is never followed or read. */
  readonly kind: 'folder' | 'file' | 'other';
}

/** The selected submissions. Only the names of one day are in memory at a time. */
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

/** Selects forms, by name or by a function, and times. */
interface DayChoice extends Choice {
  readonly isMeant?: (form: string) => boolean;
}

/** The days that may contain selected submissions, form by form. */
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

/** Ignores the folder of rejected submissions, which is an archive of its own. */
const tellUnlessDropped =
  (tell: Tell): Tell =>
  (trouble) => {
    if (trouble.path !== droppedFolder && !isSweepFile(trouble.path)) tell(trouble);
  };

/** Whether this is the relay's own file at the root of an archive, which records when old submissions were removed. */
export const isSweepFile = (name: string): boolean => /^\.[^/]+\.swept$/.test(name);

const isOutside = ({ from, to }: Span, { since = -Infinity, until = Infinity }: Choice) =>
  to <= since || from >= until;

const isForm = (name: string) => inClear(name) !== undefined;
const isYear = (name: string) => /^[1-9]\d{3}$/.test(name);
const isMonth = (name: string) => /^(0[1-9]|1[0-2])$/.test(name);

/** The subfolders with valid names. Everything else is reported, because it does not belong there. */
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

/** The problem of a thing that does not belong to an archive. */
export const foreign = (folder: string, { name, kind }: Thing): Trouble => {
  const trouble = foreignAt(folder === '' ? name : `${folder}/${name}`);
  return kind === 'other' ? { ...trouble, what: 'is a link or a device; ignored' } : trouble;
};

/** Whether this is a temporary file that the relay is writing or left behind when it was killed. */
export const isUnfinished = ({ kind, name }: Thing): boolean => kind === 'file' && /^\..+\.tmp$/.test(name);

/** A time span in UTC, from its first millisecond up to that of the next span, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const dayMs = 86_400_000;

/** The span of a day; `undefined` if no such day exists. */
export function daySpan(year: string, month: string, day: string): Span | undefined {
  const from = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  // JavaScript reads 30 February as 2 March.
  const isReal = !Number.isNaN(from) && new Date(from).getUTCDate() === Number(day);
  return isReal ? { from, to: from + dayMs } : undefined;
}

/** @param month From `01` to `12`. */
export function monthSpan(year: string, month: string): Span {
  const from = Date.parse(`${year}-${month}-01T00:00:00Z`);
  return { from, to: new Date(from).setUTCMonth(Number(month)) };
}

export const yearSpan = (year: string): Span => ({
  from: monthSpan(year, '01').from,
  to: monthSpan(year, '12').to,
});
