import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createTurns } from '@form-relay/base/turns';
import { withTimeout } from '@form-relay/base/with_timeout';
import { folderFailure, syncFolder } from '@form-relay/clients/folder';
import { temporaryName } from './archive_layout.ts';
import { failed } from './failures.ts';
import type { ArchiveObject } from './store_entry.ts';

/** By default, Node has four threads for files and DNS lookups. A hanging disk must not occupy all of them. */
const mostAtOnce = 3;

/** Each day has a folder, and so does each submission with files. */
const mostRemembered = 1_000;

const made = new Map<string, Promise<string>>();

/** Resolves with the folder's real path once the folder is durable. `inside` is empty for the archive itself. */
function folderFor(archive: string, inside: string): Promise<string> {
  const path = join(archive, inside);
  const known = made.get(path);
  if (known !== undefined) return known;
  if (made.size >= mostRemembered) made.clear();
  const at = inside.lastIndexOf('/');
  const making =
    inside === ''
      ? archiveFolder(archive)
      : folderFor(archive, inside.slice(0, Math.max(at, 0))).then((above) =>
          makeFolder(archive, above, inside.slice(at + 1)),
        );
  made.set(path, making);
  making.catch(() => made.delete(path));
  return making;
}

async function store(archive: string, object: ArchiveObject, timeoutMs: number): Promise<void> {
  const at = object.path.lastIndexOf('/');
  const [inside, name] = [object.path.slice(0, at), object.path.slice(at + 1)];
  try {
    await writeWhole(await folderFor(archive, inside), name, object, timeoutMs);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    // The folder was deleted in the meantime.
    made.clear();
    await writeWhole(await folderFor(archive, inside), name, object, timeoutMs);
  }
}

const inTurn = createTurns(mostAtOnce);

/** Stores a file completely and durably, or not at all. Rejects with a `ClientError`. */
export function storeFile(folder: string, object: ArchiveObject, timeoutMs: number): Promise<void> {
  const path = resolve(folder);
  let isLate = false;
  const late = () => {
    isLate = true;
    throw failed('timed_out', { timeoutMs }, { retryAfterMs: 0 });
  };
  // A write that is too late before its turn must not delay others.
  const stored = inTurn(async () => (isLate ? late() : store(path, object, timeoutMs))).catch((error) => {
    throw folderFailure(error, path);
  });
  return withTimeout(timeoutMs, stored, late);
}

async function archiveFolder(archive: string): Promise<string> {
  const path = await realpath(archive);
  if (!(await stat(path)).isDirectory()) throw failed('folder_is_none', { path: archive });
  return path;
}

/** Creates a folder unless it exists, readable only for this user. Returns its path. */
async function makeFolder(archive: string, above: string, name: string): Promise<string> {
  const path = join(above, name);
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (!(await lstat(path)).isDirectory()) throw failed('folder_with_link', { path: archive });
  }
  // Also syncs an existing folder, because another process may have created it just now.
  await syncFolder(above);
  return path;
}

/** Writes under a temporary name first, so that readers always get a complete file. */
async function writeWhole(
  directory: string,
  name: string,
  { content }: ArchiveObject,
  timeoutMs: number,
): Promise<void> {
  const temporary = join(directory, temporaryName(randomBytes(8).toString('hex')));
  const file = await open(temporary, 'wx', 0o600);
  try {
    try {
      let left = content.byteLength;
      for (const piece of content.pieces()) {
        await file.writeFile(piece);
        // Counted afterwards, because an upload released in the meantime has length 0.
        left -= piece.length;
      }
      // An upload is released once its request is answered.
      if (left > 0) throw failed('timed_out', { timeoutMs });
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

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';
