import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientError, failures } from '@form-relay/base/client_error';

/** Failures of a folder that the owner provides. */
export const folderWords = {
  folder_missing: ({ path }: { path: string }) =>
    `there is no folder ${path}; create it, or mount the volume: the relay does not create it`,
  folder_is_none: ({ path }: { path: string }) => `${path} is not a folder`,
  folder_denied: ({ path }: { path: string }) => `this user cannot write to ${path}`,
  folder_read_only: ({ path }: { path: string }) => `${path} is on a file system that is mounted read-only`,
  folder_full: ({ path }: { path: string }) => `the disk of ${path} is full`,
  folder_with_link: ({ path }: { path: string }) =>
    `${path} contains a link or a file where the relay needs a folder; remove it, or choose another folder`,
  folder_failed: ({ path, code }: { path: string; code: string }) => `${path} is not writable (${code})`,
};

const failed = failures(folderWords);

/** Makes file names durable by syncing their folder. Windows has no such call. */
export async function syncFolder(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(directory, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Explains a system error to the folder's owner; returns other errors unchanged. */
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
