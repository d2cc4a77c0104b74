/** The file of read flags, which outlives the index: a line `+ID` means read, `-ID` unread; the last line of an id counts. */

import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type ArchiveDocument, earlierOf } from '@form-relay/more-outputs/archive_layout';
import { markNames } from '@form-relay/spam/score/marks';
import { documentPath, type Entry, entryAt, entryOfFolder } from '@form-relay/stored/archive/archive';
import { isSweepFile } from '@form-relay/stored/archive/in_folder';
import { readDocument } from '@form-relay/stored/archive/read_entry';
import type { TypedField } from '../correspondent.ts';
import { type Entries, isOther } from './entries.ts';
import { textsOf } from './texts.ts';

/** Smaller files are not worth compacting. */
const leastBytes = 1_048_576;

export class ReadFlags {
  /** Replaced lines are removed when the file has doubled in size since the last time. */
  #shortenAt = 0;

  constructor(private readonly path: string) {}

  add(ids: readonly string[], isRead: boolean): void {
    const lines = ids.map((id) => `${isRead ? '+' : '-'}${id}\n`).join('');
    appendFileSync(this.path, lines, { mode: 0o600 });
    const size = this.size();
    if (size < leastBytes || size < this.#shortenAt) return;
    const read = [...this.read()].flatMap(([id, isRead]) => (isRead ? `+${id}\n` : []));
    writeFileSync(`${this.path}.new`, read.join(''), { mode: 0o600 });
    renameSync(`${this.path}.new`, this.path);
    this.#shortenAt = 2 * this.size();
  }

  /** In bytes: shows whether the index is up to date with the file. */
  size(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }

  read(): ReadonlyMap<string, boolean> {
    if (this.size() === 0) return new Map();
    const lines = readFileSync(this.path, 'utf8').split('\n').filter(Boolean);
    return new Map(lines.map((line) => [line.slice(1), line.startsWith('+')]));
  }
}

/** Reads the documents of archives into the index. */

export const mostDocumentBytes = 16 * 1_048_576;

export type Tell = (path: string, what: string) => void;

export interface Intake {
  readonly entries: Entries;
  readonly archive: number;
  readonly tell: Tell;
  /** Keyed by form. */
  readonly fields: ReadonlyMap<string, readonly TypedField[]>;
}

export function takeIn({ entries, archive, tell, fields }: Intake, entry: Entry, bytes: Uint8Array): void {
  const path = documentPath(entry);
  const known = entries.known(entry.id);
  if (known && isOther(known, entry)) {
    tell(path, 'has the same id as another submission, so it is not shown; find it with relay archive');
    return;
  }
  if (entry.isSealed) {
    entries.store(entry, known, { archive, path }, undefined, false);
    return;
  }
  const read = readDocument(bytes);
  if (!read.ok) {
    tell(path, read.error);
    return;
  }
  const { value } = read;
  if (value.id !== entry.id || value.form !== entry.form) {
    tell(path, 'has an id that does not match its path');
    return;
  }
  const isMarked = value.fields.some(({ name }) => name === markNames.tag);
  const isDoubted = isMarked || (value.doubt !== undefined && value.doubt.score > 0);
  entries.store(
    entry,
    known,
    { archive, path },
    textsOf(value, fields.get(entry.form)),
    isDoubted,
    whyOf(value),
    earlierOf(value),
  );
}

/** The check that dropped the submission; else the signal with the most spam points. */
const whyOf = ({ dropped, doubt }: ArchiveDocument): string =>
  dropped?.by ?? Object.entries(doubt?.signals ?? {}).toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? '';

/** Yields the day folders, form by form. Throws if the archive cannot be listed. */
export function* dayFolders(root: string, tell: Tell): Generator<string> {
  const levels = [/^(?!\.dropped$)/, /^\d{4}$/, /^\d\d$/, /^\d\d$/];
  function* below(folder: string, level: number): Generator<string> {
    const isRight = levels[level] as RegExp;
    for (const thing of namesIn(join(root, folder), level === 0)) {
      const path = folder === '' ? thing.name : `${folder}/${thing.name}`;
      if (level === 0 && (thing.name === '.dropped' || isSweepFile(thing.name))) continue;
      // Links are not followed, because they could form a cycle.
      if (!thing.isDirectory() || !isRight.test(thing.name)) tell(path, 'is not part of an archive; ignored');
      else if (level === 3) yield path;
      else yield* below(path, level + 1);
    }
  }
  yield* below('', 0);
}

/** Folders may be removed meanwhile, but not the archive's own folder. */
export function namesIn(path: string, isRoot = false) {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (!isRoot && isGone(error)) return [];
    throw error;
  }
}

export const isGone = (error: unknown) =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Explains why a place cannot be read or written. */
export function whyNot(error: unknown): string {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'does not exist',
    ENOTDIR: 'is not a folder',
    EACCES: 'cannot be read by this user',
    ELOOP: 'is a symbolic link; not followed',
    ENOSPC: 'cannot be written: the disk is full',
  };
  if (known[code]) return known[code];
  if (/disk (is )?full|ENOSPC/i.test(message)) return 'cannot be written: the disk is full';
  // The WebAssembly build of SQLite reports a full disk this way, too.
  if (/disk I\/O error/i.test(message)) return 'cannot be written: the disk is full or failing';
  return `failed: ${message}`;
}

export const modifiedAt = (path: string): number | undefined =>
  statSync(path, { throwIfNoEntry: false })?.mtimeMs;

const buffer = { bytes: Buffer.alloc(65_536) };

/** A document's bytes, in a buffer that the next call reuses, or the reason why they cannot be read. */
export function readPlainly(path: string): Buffer | string {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return whyNot(error);
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return 'is not a file';
    if (stats.size > mostDocumentBytes) return 'is too large';
    const bytes = stats.size > buffer.bytes.length ? Buffer.alloc(stats.size) : buffer.bytes;
    return bytes.subarray(0, readWhole(file, bytes.subarray(0, stats.size)));
  } catch (error) {
    return whyNot(error);
  } finally {
    closeSync(file);
  }
}

/** Reads until `into` is full or the file ends, because a single read may return less. */
function readWhole(file: number, into: Uint8Array): number {
  let length = 0;
  for (let read = -1; read !== 0 && length < into.length; length += read)
    read = readSync(file, into, length, into.length - length, length);
  return length;
}

/** The documents in a day's folder, without the folders of their files. */
export function documentsIn(root: string, folder: string, tell: Tell): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const thing of namesIn(join(root, folder))) {
    const path = `${folder}/${thing.name}`;
    const entry = thing.isDirectory() ? undefined : entryAt(path);
    if (entry && thing.isFile()) entries.set(path, entry);
    else if (/^\..+\.tmp$/.test(thing.name) || (thing.isDirectory() && entryOfFolder(path))) continue;
    else tell(path, entry ? 'is a link or a device; ignored' : 'is not part of an archive; ignored');
  }
  return entries;
}
