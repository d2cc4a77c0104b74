import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientError, failures } from '@form-relay/base/client_error';

/** The failures of a folder that its owner makes. */
export const folderWords = {
  folder_missing: ({ path }: { path: string }) =>
    `there is no folder ${path}; create it, or mount the volume: the relay does not create it`,
  folder_is_none: ({ path }: { path: string }) => `${path} is not a folder`,
  folder_denied: ({ path }: { path: string }) => `this user may not write into ${path}`,
  folder_read_only: ({ path }: { path: string }) => `${path} is on a file system that is mounted read-only`,
  folder_full: ({ path }: { path: string }) => `the disk of ${path} is full`,
  folder_with_link: ({ path }: { path: string }) =>
    `a folder inside ${path} is a link or a file, which the relay does not follow or replace`,
  folder_failed: ({ path, code }: { path: string; code: string }) => `${path} is not writable (${code})`,
};

const failed = failures(folderWords);

/** Makes names durable, which requires a sync of their folder. Windows offers none. */
export async function syncFolder(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(directory, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Explains a system error to the owner of a folder; other errors pass unchanged. */
export function folderFailure(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof ClientError || code === undefined) return error;
  const word = wordFor[code];
  if (word) return failed(word, { path });
  return failed('folder_failed', { path, code }, passing.includes(code) ? { retryAfterMs: 0 } : {});
}

const wordFor: Readonly<Record<string, Exclude<keyof typeof folderWords, 'folder_failed'>>> = {
  ENOENT: 'folder_missing',
  ENOTDIR: 'folder_is_none',
  EACCES: 'folder_denied',
  EPERM: 'folder_denied',
  EROFS: 'folder_read_only',
  ENOSPC: 'folder_full',
  EDQUOT: 'folder_full',
};

/** Temporary errors. */
const passing = ['EMFILE', 'ENFILE', 'EAGAIN', 'EBUSY', 'EINTR', 'EIO', 'ENOMEM', 'ESTALE', 'ETIMEDOUT'];

/** Checks a folder and, with `writes`, writes a file and deletes it. */
export const tryFolder = async (path: string, { writes }: { readonly writes: boolean }): Promise<void> => {
  try {
    if (!(await stat(path)).isDirectory()) throw failed('folder_is_none', { path });
    // `syncFolder` opens the folder for reading.
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    if (!writes) return;
    const name = join(path, `.${randomBytes(8).toString('hex')}.tmp`);
    const file = await open(name, 'wx', 0o600);
    try {
      await file.writeFile('form relay');
      await file.sync();
    } finally {
      await file.close();
      await unlink(name);
    }
    await syncFolder(path);
  } catch (error) {
    throw folderFailure(error, path);
  }
};
