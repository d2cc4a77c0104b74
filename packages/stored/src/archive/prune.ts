import type { Tell } from './archive.ts';
import { entryAt, entryOfFolder } from './archive.ts';
import { type Day, days, foreign, isUnfinished, monthSpan, type Thing, type Tree, yearSpan } from './tree.ts';

/** The operations that pruning needs from an archive in a folder. */
export interface Removing {
  removeFile(path: string): Promise<void>;
  /** A folder that is not empty stays. */
  removeEmptyFolder(path: string): Promise<void>;
}

export interface Pruned {
  submissions: number;
  files: number;
  /** Files of submissions that were never written whole, because the relay was ended meanwhile. */
  orphans: number;
  /** Days of a form that are too young to go; in a bucket, the forms that have some. */
  kept: number;
  /** Days of a form whose submissions went, or had gone already. */
  cleared: number;
  /** How long the oldest of them had been due, in milliseconds. */
  overdueMs: number;
}

export interface PruneRule {
  /** A form's days that ended by this moment go; milliseconds since the epoch. `undefined`: the form is not meant. */
  readonly before: (form: string) => number | undefined;
}

export const nothingPruned = (): Pruned => ({
  submissions: 0,
  files: 0,
  orphans: 0,
  kept: 0,
  cleared: 0,
  overdueMs: 0,
});

/** Removes the submissions of whole days and the folders that are empty then; a form's own folder stays, too. */
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

/** The documents go first: where there is one, the whole submission is there. */
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

/** `1-cv.pdf`, `2.age` */
const isFile = ({ kind, name }: Thing) => kind === 'file' && isFileName(name);

export const isFileName = (name: string) => /^[1-9]\d*(-[^/]|\.age$)/.test(name) && !name.includes('/');
