import { closeSync, constants, fstatSync, lstatSync, openSync, readFile, readFileSync } from 'node:fs';
import { lstat, opendir, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ClientError } from '@form-relay/base/client_error';
import { err, ok, type Result } from '@form-relay/base/result';
import { whyUnreadable } from '@form-relay/base/text_file';
import type { Archive } from './archive.ts';
import type { Removing } from './prune.ts';
import { entriesInTree, type Thing, type Tree } from './tree.ts';

/** An archive in a folder. No link in it is followed; the folder itself may be one. */
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
      // Some file systems do not say what a name stands for.
      const stats = isKnown ? entry : await lstat(join(path, entry.name));
      const kind = stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
      things.push({ name: entry.name, kind });
    }
  } catch (error) {
    // Somebody may clear up meanwhile.
    if (!isRoot && (error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw failure(path, error);
  }
  return things.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** More than this is read while other work goes on; for most documents, that would cost ten times the CPU. */
const mostAtOnce = 262_144;

async function readPlainFile(path: string, mostBytes: number): Promise<Result<Uint8Array, string>> {
  try {
    if (!lstatSync(dirname(path)).isDirectory()) return err('its folder is a link, which is not followed');
    // O_NONBLOCK, so that a pipe that nobody writes to is opened and refused.
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) return err('is no file');
      if (stats.size > mostBytes) return err('is too large');
      return ok(stats.size > mostAtOnce ? await readWhole(file) : readFileSync(file));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return err(code === 'ELOOP' ? 'is a link, which is not followed' : whyUnreadable(error));
  }
}

const readWhole = promisify(readFile) as (file: number) => Promise<Buffer>;

/** Removes what is in a folder. */
export const removingIn = (root: string): Removing => ({
  removeFile: (path) => gone(unlink(join(root, path))),
  removeEmptyFolder: (path) => gone(rmdir(join(root, path))),
});

/** For trying it out. */
export const removingNothing: Removing = {
  removeFile: async () => {},
  removeEmptyFolder: async () => {},
};

/** A file that is gone counts as removed, and a folder that is not empty stays. */
export const gone = (removal: Promise<void>) =>
  removal.catch((error: NodeJS.ErrnoException) => {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code ?? '')) throw failure(error.path ?? '', error);
  });

export const failure = (path: string, error: unknown): ClientError => {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return new ClientError(`${path}: ${reasons[code] ?? `this failed (${code})`}`);
};

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'this is no folder',
  EACCES: 'this user may not do that here',
  EPERM: 'this user may not do that here',
  EROFS: 'the disk is read-only',
};
