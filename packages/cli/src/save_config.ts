import { chmod, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { err, ok, type Result } from '@form-relay/relay/base';
import { mostBytes, tooLarge } from '@form-relay/relay/transports';
import { whyUnwritten } from './why_unwritten.ts';

/**
 * Puts a text into a config file, whole or not at all: into a file beside it, which then takes its place and its mode.
 * `changed` when the file does not hold `expected` any more; `undefined` replaces anything.
 */
export async function saveConfig(
  path: string,
  text: string,
  expected: string | undefined,
): Promise<Result<'saved' | 'changed', string>> {
  if (Buffer.byteLength(text) > mostBytes) return tooLarge;
  try {
    // A link stays one.
    const file = await realpath(path).catch(() => path);
    const before = await stat(file).catch(ifMissing);
    if (before && !before.isFile()) return err('this is not a file');
    const now = before ? await readFile(file, 'utf8') : '';
    if (expected !== undefined && now !== expected) return ok('changed');
    const beside = join(dirname(file), `.${basename(file)}.${process.pid}.new`);
    try {
      // By its descriptor, so that nothing that somebody else put there is followed.
      const made = await open(beside, 'wx', before?.mode);
      await made.writeFile(text);
      await made.sync();
      await made.close();
      if (before) await chmod(beside, before.mode & 0o7777);
      await rename(beside, file);
    } catch (error) {
      await unlink(beside).catch(() => undefined);
      throw error;
    }
    return ok('saved');
  } catch (error) {
    return err(whyUnwritten(error));
  }
}

const ifMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};
