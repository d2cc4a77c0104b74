import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { failed } from '../../base/client_error.ts';
import type { TryFolder } from '../../base/effects.ts';
import { temporaryName } from '../archive/entry.ts';
import { folderFailure } from './folder_failure.ts';
import { syncFolder } from './store_file.ts';

/** Looks; where it may write, it writes a file and deletes it. */
export const tryFolder: TryFolder = async (path, { writes }) => {
  try {
    if (!(await stat(path)).isDirectory()) throw failed('folder_is_none', { path });
    // To bring a name to the disk, its folder is opened for reading.
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    if (!writes) return;
    const name = join(path, temporaryName(randomBytes(8).toString('hex')));
    const file = await open(name, 'wx', 0o600);
    try {
      await file.writeFile('relay doctor');
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
