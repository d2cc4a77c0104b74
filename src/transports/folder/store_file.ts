import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { failed } from '../../client_error.ts';
import type { ArchiveObject, StoreFile } from '../../effects.ts';
import { inTime } from '../../in_time.ts';
import { createLanes } from '../../lanes.ts';
import { temporaryName } from '../archive/entry.ts';
import { folderFailure } from './folder_failure.ts';

/**
 * Node has four threads for files, unless told otherwise, and they ask for the names of hosts, too: a disk that hangs
 * must not take them all (D47).
 */
const mostAtOnce = 3;

/** A folder for each day, and one for each submission with files. */
const mostRemembered = 1_000;

/** Writes files so that they are there whole and for good, or not at all (D95). */
export function createStoreFile(): StoreFile {
  const lanes = createLanes(mostAtOnce);
  const made = new Map<string, Promise<string>>();
  const folderFor = (folder: string, inside: string) => {
    const key = `${folder}\0${inside}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    if (made.size >= mostRemembered) made.clear();
    const making = makeFolders(folder, inside);
    made.set(key, making);
    making.catch(() => made.delete(key));
    return making;
  };
  const store = async (folder: string, object: ArchiveObject) => {
    const at = object.path.lastIndexOf('/');
    const [inside, name] = [object.path.slice(0, at), object.path.slice(at + 1)];
    try {
      await writeWhole(await folderFor(folder, inside), name, object);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || !made.delete(`${folder}\0${inside}`)) throw error;
      // Somebody has tidied up meanwhile.
      await writeWhole(await folderFor(folder, inside), name, object);
    }
  };
  return ({ folder, object, timeoutMs }) => {
    const path = resolve(folder);
    let isLate = false;
    const late = () => {
      isLate = true;
      throw failed('timed_out', { timeoutMs }, { retryAfterMs: 0 });
    };
    // What is late before its turn comes takes no more of anybody's time.
    const stored = lanes('disk', async () => (isLate ? late() : store(path, object))).catch((error) => {
      throw folderFailure(error, path);
    });
    return inTime(timeoutMs, stored, late);
  };
}

/** Makes the folders that are not there, each for nobody else to read. Gives the path of the last one, without links. */
async function makeFolders(folder: string, inside: string): Promise<string> {
  let at = await realpath(folder);
  if (!(await stat(at)).isDirectory()) throw failed('folder_is_none', { path: folder });
  for (const name of inside.split('/')) {
    const next = join(at, name);
    try {
      await mkdir(next, 0o700);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      if (!(await lstat(next)).isDirectory()) throw failed('folder_with_link', { path: folder });
    }
    // Also where it was there: who has made it may not have come so far.
    await syncFolder(at);
    at = next;
  }
  return at;
}

/** Under a temporary name at first: to read it is to read all of it. */
async function writeWhole(directory: string, name: string, { content }: ArchiveObject): Promise<void> {
  const temporary = join(directory, temporaryName(randomBytes(8).toString('hex')));
  const file = await open(temporary, 'wx', 0o600);
  try {
    try {
      for (const piece of content.pieces()) await file.writeFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(directory, name));
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(directory);
}

/** A name is on the disk when its folder is. On Windows nobody can see to it. */
async function syncFolder(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(directory, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';
