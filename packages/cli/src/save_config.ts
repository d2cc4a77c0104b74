import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, chmod, chown, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { maxConfigBytes } from '@form-relay/base/owners_text';
import { err, ok, type Result } from '@form-relay/base/result';
import { tooLarge, whyUnwritten } from '@form-relay/base/text_file';

export interface SaveOptions {
  /** The file's mode from now on. Default: as before. */
  readonly mode?: number;
  /** Runs when all else is done, so that a copy is made only of what is replaced. */
  readonly beforeTakingItsPlace?: (() => Promise<void>) | undefined;
}

/**
 * Puts a text into a config file, whole or not at all: into a new file in its folder, which then takes its place, mode
 * and owner. `changed` when the file does not hold `expected` any more; `undefined` replaces anything but bytes that no
 * text shows.
 */
export async function saveConfig(
  path: string,
  text: string,
  expected: string | undefined,
  { mode, beforeTakingItsPlace = async () => {} }: SaveOptions = {},
): Promise<Result<'saved' | 'changed', string>> {
  if (Buffer.byteLength(text) > maxConfigBytes) return tooLarge;
  try {
    // A link stays one.
    const file = await realpath(path).catch(() => path);
    const before = await stat(file).catch(ifMissing);
    if (before && !before.isFile()) return err('this is not a file');
    if (before && !(await isWritable(file, before))) return err('the file is read-only');
    const now = before ? await readFile(file) : Buffer.of();
    if (!isUtf8(now)) return err('the file holds bytes that are not UTF-8, which saving here would lose');
    if (expected !== undefined && now.toString() !== expected) return ok('changed');
    const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}.new`);
    try {
      await write(temporary, text, before, mode);
      // Another program may have written while the disk was busy.
      const latest = before && (await readFile(file));
      if (expected !== undefined && latest && !latest.equals(now)) {
        await unlink(temporary);
        return ok('changed');
      }
      await beforeTakingItsPlace();
      await rename(temporary, file);
    } catch (error) {
      await unlink(temporary).catch(() => undefined);
      throw error;
    }
    return ok('saved');
  } catch (error) {
    // An error of the caller's own step is the caller's.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return err(whyUnwritten(error));
  }
}

/** Taking its place only needs the folder, but its owner has said that it stays as it is; root may always write. */
const isWritable = async (file: string, { mode }: Stats): Promise<boolean> =>
  (mode & 0o222) !== 0 &&
  access(file, constants.W_OK).then(
    () => true,
    () => false,
  );

async function write(path: string, text: string, like: Stats | undefined, mode?: number): Promise<void> {
  // By its descriptor, so that nothing that somebody else put there is followed.
  const made = await open(path, 'wx', mode ?? like?.mode);
  try {
    await made.writeFile(text);
    await made.sync();
  } finally {
    await made.close();
  }
  if (!like) return;
  // The relay may run as the only user who may read it; only root can give a file away.
  await chown(path, like.uid, like.gid).catch(() => undefined);
  await chmod(path, mode ?? like.mode & 0o7777);
}

const ifMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};
