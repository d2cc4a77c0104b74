import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientError } from '@form-relay/base/client_error';
import { entryAt } from './archive.ts';
import { openBucket } from './in_bucket.ts';
import { isUnfinished, removingIn, treeIn } from './in_folder.ts';
import { isBucket } from './open.ts';
import { isFileName } from './prune.ts';

/**
 * Removes the document at a path with its files, which the path identifies. A missing document counts as removed; any
 * other failure throws a `ClientError`.
 */
export type RemoveEntry = (path: string) => Promise<void>;

/** The document first: where it is, all is there. `last`: a removal that was cut off can be found and made again. */
export type DocumentGoes = 'first' | 'last';

/** @param place A folder, or `s3://bucket/prefix`. */
export const removeFrom = (place: string, goes: DocumentGoes = 'first'): RemoveEntry =>
  isBucket(place) ? removeInBucket(place, goes) : removeInFolder(place, goes);

const removeInFolder =
  (root: string, goes: DocumentGoes): RemoveEntry =>
  async (path) => {
    const folder = filesOf(path);
    if (!(await isFolder(root))) throw new ClientError(`${root} is not there; nothing was removed`);
    await refuseLinks(root, path);
    const removing = removingIn(root);
    if (goes === 'first') await removing.removeFile(path);
    // If a clear and a sealed document share files, one was planted: leave the files.
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
  if (!entryAt(path)) throw new ClientError('this is no document of an archive');
  return path.replace(/\.json(\.age)?$/, '');
}

/** A link among the folders could lead out of the archive. */
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
