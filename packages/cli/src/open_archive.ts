import { once } from 'node:events';
import { ClientError } from '@form-relay/base/client_error';
import type { Tell } from '@form-relay/stored/archive/archive';
import { readIdentities, unsealWith } from '@form-relay/stored/archive/identities';
import { openArchive } from '@form-relay/stored/archive/open';
import type { Reading } from '@form-relay/stored/archive/read_entry';
import { printable } from '@form-relay/yaml/excerpt';
import { CommandFailed } from './command_failed.ts';
import { readBytes } from './load_config.ts';
import { count } from './terminal.ts';

export interface ArchiveOptions {
  /** A folder, or `s3://BUCKET/PREFIX`. */
  readonly from: string;
  /** The file with the private keys. */
  readonly identity?: string;
}

/** Runs a command on an archive: what is wrong with single things in it is said, and is the exit code. */
export async function withArchive(
  { from, identity }: ArchiveOptions,
  work: (reading: Reading, tell: Tell) => Promise<void>,
): Promise<void> {
  const told = new Told(from);
  const unseal = identity === undefined ? undefined : await unsealWith(await readKeys(identity));
  try {
    await work({ archive: openArchive(from), unseal }, told.tell);
  } catch (error) {
    if (error instanceof ClientError) throw new CommandFailed(error.message);
    throw error;
  }
  told.end();
}

/** The private keys in a file. */
export async function readKeys(file: string): Promise<readonly string[]> {
  const keys = await readIdentities((await readBytes(file)).toString('utf8'));
  if (!keys.ok) throw new CommandFailed(`${file}: ${keys.error}`);
  return keys.value;
}

/** The number of foreign files and folders that get a line each. */
const mostForeign = 20;

/** The messages on stderr. */
class Told {
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
    if (this.#foreign > 0) process.stderr.write(`${count(this.#foreign, 'thing')} left alone\n`);
    if (this.#unread === 0) return;
    process.stderr.write(`${count(this.#unread, 'submission')} that could not be read\n`);
    process.exitCode = 1;
  }
}

/** How many characters of a submission a line shows. */
const shownLength = 60;

/** How a submission begins, for a line of a list. */
export function beginningOf(values: readonly string[]): string {
  const text = values.join('; ');
  return text.length > shownLength ? `${text.slice(0, shownLength - 1)}…` : text;
}

/** How much is written at once. */
const pieceLength = 65_536;

/** Writes a text that comes in pieces, no faster than somebody reads it. */
export async function writeOut(texts: AsyncIterable<string>): Promise<void> {
  let piece = '';
  for await (const text of texts) {
    piece += text;
    if (piece.length < pieceLength) continue;
    await write(piece);
    piece = '';
  }
  await write(piece);
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
