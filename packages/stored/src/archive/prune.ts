import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientError } from '@form-relay/base/client_error';
import { inClear } from '@form-relay/more-outputs/archive_layout';
import { entryAt, entryOfFolder, type Tell } from './archive.ts';
import { dropped, formFolder, type ListKeys, openBucket } from './in_bucket.ts';
import {
  type Day,
  daySpan,
  days,
  foreign,
  isSweepFile,
  isUnfinished,
  monthSpan,
  removingIn,
  type Thing,
  type Tree,
  treeIn,
  yearSpan,
} from './in_folder.ts';
import { isBucket } from './open.ts';

/** The operations that pruning needs for an archive in a folder. */
export interface Removing {
  removeFile(path: string): Promise<void>;
  /** Does nothing if the folder is not empty. */
  removeEmptyFolder(path: string): Promise<void>;
}

export interface Pruned {
  submissions: number;
  files: number;
  /** Files of submissions that were never completed, because the relay was killed. */
  orphans: number;
  /** Days of a form that are too recent to remove; in a bucket, forms that have such days. */
  kept: number;
  /** Days of a form whose submissions were removed now or before. */
  cleared: number;
  /** How long ago the oldest of these days was due, in milliseconds. */
  overdueMs: number;
}

export interface PruneRule {
  /** A form's days that ended before this time are removed; milliseconds since the epoch. `undefined`: the form is kept. */
  readonly before: (form: string) => number | undefined;
}

const nothingPruned = (): Pruned => ({
  submissions: 0,
  files: 0,
  orphans: 0,
  kept: 0,
  cleared: 0,
  overdueMs: 0,
});

/** Removes the submissions of whole days and folders that are then empty, but not a form's own folder. */
export async function prune(tree: Tree, removing: Removing, rule: PruneRule, tell: Tell): Promise<Pruned> {
  const pruned = nothingPruned();
  const isMeant = (form: string) => rule.before(form) !== undefined;
  for await (const day of days(tree, { isMeant }, tell)) {
    const before = rule.before(day.form) ?? -Infinity;
    if (day.to > before) {
      pruned.kept += 1;
      continue;
    }
    pruned.cleared += 1;
    pruned.overdueMs = Math.max(pruned.overdueMs, before - day.to);
    await pruneDay({ tree, removing, tell, pruned }, day);
    const [segment, year = '', month = ''] = day.folder.split('/');
    if (monthSpan(year, month).to <= before) await removing.removeEmptyFolder(`${segment}/${year}/${month}`);
    if (yearSpan(year).to <= before) await removing.removeEmptyFolder(`${segment}/${year}`);
  }
  return pruned;
}

interface Pruning {
  readonly tree: Tree;
  readonly removing: Removing;
  readonly tell: Tell;
  readonly pruned: Pruned;
}

/** Removes documents first, because a document means that its submission is complete. */
async function pruneDay({ tree, removing, tell, pruned }: Pruning, { folder }: Day): Promise<void> {
  const whole = new Set<string>();
  const folders: string[] = [];
  for await (const thing of tree.list(folder)) {
    const path = `${folder}/${thing.name}`;
    if (thing.kind === 'file' && entryAt(path)) {
      await removing.removeFile(path);
      pruned.submissions += 1;
      whole.add(path.replace(/\.json(\.age)?$/, ''));
    } else if (isUnfinished(thing)) {
      await removing.removeFile(path);
      pruned.orphans += 1;
    } else if (thing.kind === 'folder' && entryOfFolder(path)) {
      folders.push(path);
    } else {
      tell(foreign(folder, thing));
    }
  }
  for (const path of folders) {
    for await (const thing of tree.list(path)) {
      if (!isFile(thing) && !isUnfinished(thing)) {
        tell(foreign(path, thing));
        continue;
      }
      await removing.removeFile(`${path}/${thing.name}`);
      pruned[whole.has(path) ? 'files' : 'orphans'] += 1;
    }
    await removing.removeEmptyFolder(path);
  }
  await removing.removeEmptyFolder(folder);
}

/** Matches names such as `1-cv.pdf` and `2.age`. */
const isFile = ({ kind, name }: Thing) => kind === 'file' && isFileName(name);

const isFileName = (name: string) => /^[1-9]\d*(-[^/]|\.age$)/.test(name) && !name.includes('/');

/** Removes up to 1,000 keys. */
type RemoveKeys = (keys: readonly string[]) => Promise<void>;

const mostAtOnce = 1_000;

/** Like `prune`, for keys. Lists the keys to remove and one more page per form; only a page and the last document are in memory. */
export async function pruneKeys(
  list: ListKeys,
  remove: RemoveKeys,
  { before }: PruneRule,
  tell: Tell,
): Promise<Pruned> {
  const pruned = nothingPruned();
  const young = new Set<string>();
  const days = new Set<string>();
  let whole = '';
  let going: string[] = [];
  for await (const { key, form, day, isDocument } of placedKeys(list, (form) => young.has(form), tell)) {
    const limit = before(form);
    if (limit === undefined || day.to > limit) {
      // Times ascend, so all later keys of this form are more recent.
      young.add(form);
      if (limit !== undefined) pruned.kept += 1;
      continue;
    }
    if (isDocument) {
      pruned.submissions += 1;
      whole = key.replace(/\.json(\.age)?$/, '/');
    } else pruned[whole !== '' && key.startsWith(whole) ? 'files' : 'orphans'] += 1;
    days.add(`${form}\0${day.from}`);
    pruned.overdueMs = Math.max(pruned.overdueMs, limit - day.to);
    going.push(key);
    if (going.length < mostAtOnce) continue;
    await remove(going);
    going = [];
  }
  if (going.length > 0) await remove(going);
  return { ...pruned, cleared: days.size };
}

/** The keys that belong to an archive, form by form; skips a form once `isDone` is true for it. */
async function* placedKeys(list: ListKeys, isDone: (form: string) => boolean, tell: Tell) {
  let after: string | undefined = '';
  while (after !== undefined) {
    const start: string = after;
    after = undefined;
    for await (const { keys, isLast } of list('', start)) {
      for (const key of keys) {
        if (key.startsWith(dropped) || isSweepFile(key)) continue;
        const placed = placeOf(key);
        if (!placed) tell({ kind: 'foreign', path: key, what: 'is not part of an archive; ignored' });
        else if (!isDone(placed.form)) yield placed;
      }
      const next = isLast ? undefined : following(keys.at(-1) ?? '', isDone);
      if (next === undefined) continue;
      after = next;
      break;
    }
  }
}

/** Where to continue, to skip keys; `undefined` to read on. In sort order, `0` follows `/`. */
function following(last: string, isDone: (form: string) => boolean): string | undefined {
  if (last.startsWith(dropped)) return dropped.replace('/', '0');
  const form = inClear(last.split('/', 1)[0] ?? '');
  return form !== undefined && isDone(form) ? `${formFolder(form)}0` : undefined;
}

function placeOf(key: string) {
  const slash = key.lastIndexOf('/');
  const document = entryAt(key);
  const entry =
    document ?? (isFileName(key.slice(slash + 1)) ? entryOfFolder(key.slice(0, slash)) : undefined);
  const [year = '', month = '', day = ''] = entry?.folder.split('/').slice(1) ?? [];
  const span = daySpan(year, month, day);
  return entry && span && { key, form: entry.form, day: span, isDocument: document !== undefined };
}

/** Removes the document at a path and its files. A missing document counts as removed; any other failure throws a `ClientError`. */
export type RemoveEntry = (path: string) => Promise<void>;

/**
 * When to remove the document. `first`: a document means that all its files exist. `last`: an interrupted
 * removal can be found and repeated.
 */
type DocumentGoes = 'first' | 'last';

/** @param place A folder, or `s3://bucket/prefix`. */
export const removeFrom = (place: string, goes: DocumentGoes = 'first'): RemoveEntry =>
  isBucket(place) ? removeInBucket(place, goes) : removeInFolder(place, goes);

const removeInFolder =
  (root: string, goes: DocumentGoes): RemoveEntry =>
  async (path) => {
    const folder = filesOf(path);
    if (!(await isFolder(root))) throw new ClientError(`${root} does not exist; nothing was removed`);
    await refuseLinks(root, path);
    const removing = removingIn(root);
    if (goes === 'first') await removing.removeFile(path);
    // If a plain and a sealed document share files, one of them was planted, so leave the files.
    const twin = path.endsWith('.age') ? path.slice(0, -'.age'.length) : `${path}.age`;
    const isOnly = (await lstat(join(root, twin)).catch(() => undefined)) === undefined;
    if (isOnly && (await isFolder(join(root, folder)))) {
      for await (const thing of treeIn(root).list(folder)) {
        if (isUnfinished(thing) || (thing.kind === 'file' && isFileName(thing.name)))
          await removing.removeFile(`${folder}/${thing.name}`);
      }
      await removing.removeEmptyFolder(folder);
    }
    if (goes === 'last') await removing.removeFile(path);
  };

const removeInBucket = (url: string, goes: DocumentGoes): RemoveEntry => {
  const { prefix, reader } = openBucket(url);
  return async (path) => {
    const folder = `${prefix}${filesOf(path)}/`;
    if (goes === 'first') await reader.remove(prefix + path);
    for await (const { keys } of reader.list(folder, '')) {
      for (const key of keys) if (isFileName(key.slice(folder.length))) await reader.remove(key);
    }
    if (goes === 'last') await reader.remove(prefix + path);
  };
};

/** The folder of an entry's files. */
function filesOf(path: string): string {
  if (!entryAt(path)) throw new ClientError('this is not a document of an archive');
  return path.replace(/\.json(\.age)?$/, '');
}

/** Rejects links among the folders, because they could lead out of the archive. */
async function refuseLinks(root: string, path: string): Promise<void> {
  const folders = path.split('/').slice(0, -1);
  for (let depth = 1; depth <= folders.length; depth += 1) {
    const folder = join(root, ...folders.slice(0, depth));
    const stats = await lstat(folder).catch(() => undefined);
    if (stats && !stats.isDirectory())
      throw new ClientError(`${folder} is a link or a file; nothing was removed`);
  }
}

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isDirectory() === true;
