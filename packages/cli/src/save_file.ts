import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanName, distinctName } from '@form-relay/base/file_names';
import { sizeInWords } from '@form-relay/base/values';
import { printable } from '@form-relay/yaml/excerpt';
import { CommandFailed } from './command_failed.ts';
import { whyUnwritten } from './why_unwritten.ts';

/**
 * Writes a visitor's file under its own name into a folder, over none that is there.
 *
 * @param names Those of the files that were written before.
 */
export async function saveFile(
  folder: string,
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
  names: Set<string>,
): Promise<void> {
  const path = join(folder, distinctName(cleanName(name), names));
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path, bytes, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new CommandFailed(`${printable(path)}: ${whyUnwritten(error)}`);
  }
  process.stderr.write(`written: ${printable(path)} (${sizeInWords(bytes.length)})\n`);
}
