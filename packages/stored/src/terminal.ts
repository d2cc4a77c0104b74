/** Input and output shared by commands about stored submissions. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientError } from '@form-relay/base/client_error';
import { cleanName, distinctName } from '@form-relay/base/file_names';
import { count } from '@form-relay/base/terminal';
import { whyUnreadable, whyUnwritten } from '@form-relay/base/text_file';
import { sizeInWords } from '@form-relay/base/values';
import { CommandFailed } from '@form-relay/core/command';
import { printable } from '@form-relay/yaml/problem';
import type { Tell } from './archive/archive.ts';
import { openArchive } from './archive/open.ts';
import { type Reading, readIdentities, unsealWith } from './archive/read_entry.ts';

export interface ArchiveOptions {
  /** A folder, or `s3://BUCKET/PREFIX`. */
  readonly from: string;
  /** The file with the private keys. */
  readonly identity?: string;
}

/** Runs a command on an archive. Problems with single entries are reported, and set the exit code. */
export async function withArchive(
  { from, identity }: ArchiveOptions,
  work: (reading: Reading, tell: Tell) => Promise<void>,
): Promise<void> {
  const troubles = new Reporter(from);
  const unseal = identity === undefined ? undefined : await unsealWith(await readKeys(identity));
  try {
    await work({ archive: openArchive(from), unseal }, troubles.tell);
  } catch (error) {
    if (error instanceof ClientError) throw new CommandFailed(error.message);
    throw error;
  }
  troubles.end();
}

/** Reads the private keys in a file. */
export async function readKeys(file: string): Promise<readonly string[]> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new CommandFailed(`${file}: ${whyUnreadable(error)}`);
  });
  const keys = await readIdentities(bytes.toString('utf8'));
  if (!keys.ok) throw new CommandFailed(`${file}: ${keys.error}`);
  return keys.value;
}

/** The maximum number of lines about foreign files and folders. */
const mostForeign = 20;

/** Reports problems on stderr. */
class Reporter {
  readonly #from: string;
  #foreign = 0;
  #unread = 0;

  constructor(from: string) {
    this.#from = from.replace(/\/$/, '');
  }

  readonly tell: Tell = ({ kind, path, what }) => {
    if (kind === 'unread') this.#unread += 1;
    else this.#foreign += 1;
    if (kind === 'foreign' && this.#foreign > mostForeign) return;
    process.stderr.write(`${printable(`${this.#from}/${path}`)}: ${what}\n`);
  };

  end(): void {
    if (this.#foreign > 0)
      process.stderr.write(`${count(this.#foreign, 'file or folder', 'files and folders')} ignored\n`);
    if (this.#unread === 0) return;
    process.stderr.write(`${count(this.#unread, 'submission')} could not be read\n`);
    process.exitCode = 1;
  }
}

/** How many characters of a submission a line shows. */
const shownLength = 60;

/** The first words of a submission, for a line of a list. */
export function beginningOf(values: readonly string[]): string {
  const text = values.join('; ');
  return text.length > shownLength ? `${text.slice(0, shownLength - 1)}…` : text;
}

/**
 * Saves a visitor's file under its own name in a folder, without overwriting files.
 *
 * @param names The names of files written so far.
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
