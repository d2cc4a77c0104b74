import { createHash } from 'node:crypto';
import {
  encodeHead,
  type Foreign,
  foreignEntry,
  foreignFormat,
  keptFormat,
  readDeadLetter,
  readEntry,
  unreadableEntry,
} from '../entry.ts';
import type { DeadLetterReason, Queued } from '../store.ts';

/**
 * A file's name describes its entries, which are all of one form, so that they can be counted without reading the file:
 *
 * ```text
 * 1795248000000.1795247940000.12-256.5f0c…9a01.contact
 * due           oldest kept   left   mark      form, percent-encoded
 *                             of all
 * ```
 */
export interface FileName {
  /** When the entries are due, in milliseconds since the epoch; or their dead-letter reason. */
  readonly status: Status;
  /** When the oldest entry was queued. */
  readonly keptAt: number;
  /** How many entries of `total` still wait. */
  readonly left: number;
  readonly total: number;
  /** A unique mark at the start of each record in the file. */
  readonly mark: string;
  /** The form as encoded by `encodeForm`. */
  readonly form: string;
}

export type Status = number | DeadLetterReason;

export const mostEntries = 256;

/** The maximum of entries in a waiting file, so that several relays can share the work. */
export const mostWaiting = 32;

/** The last millisecond of the last possible date. */
const lastTime = 8.64e15;

/** The size of a mark in bytes. In names, marks are hexadecimal. */
const markBytes = 12;

export const nameOf = ({ status, keptAt, left, total, mark, form }: FileName) =>
  [String(status), String(keptAt), `${left}-${total}`, mark, form].join('.');

const pattern = /^(\d+|refused|expired|unreadable)\.(\d+)\.(\d+)-(\d+)\.([0-9a-f]{24})\.([\w%~-]*)$/;

/**
 * Parses a name; `undefined` if the relay did not write it. Anyone who can write to the folder can name a
 * file: a number that the relay never writes is replaced by the nearest valid one, and a file with too many
 * entries counts as a damaged file with one.
 */
export function readName(name: string): FileName | undefined {
  const [, status = '', keptAt, left, total, mark = '', form = ''] = pattern.exec(name) ?? [];
  if (mark === '') return undefined;
  const count = Number(total);
  const isPossible = count >= 1 && count <= mostEntries;
  return {
    status: /^\d/.test(status) ? timeIn(status) : (readDeadLetter(status) as DeadLetterReason),
    keptAt: timeIn(keptAt),
    left: isPossible ? Math.min(Number(left), count) : 1,
    total: isPossible ? count : 1,
    mark,
    form,
  };
}

const timeIn = (digits = '') => Math.min(Number(digits), lastTime);

/** Encodes a form's id for file names on all systems. A long id is cut, and ends with `~` and a hash. */
export function encodeForm(form: string): string {
  const encoded = [...Buffer.from(form)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[\w-]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
  if (encoded.length <= 150) return encoded;
  return `${encoded.slice(0, 120)}~${createHash('sha256').update(form).digest('hex').slice(0, 16)}`;
}

/** Decodes a form's id; `undefined` if the id was cut, so that only the file's content has it. */
export function decodeForm(encoded: string): string | undefined {
  if (encoded.includes('~')) return undefined;
  const bytes = encoded.replaceAll(/%([0-9a-f]{2})/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}

const minuteMs = 60_000;

/**
 * The folder for a waiting file, relative to the store. Never the folder of a past minute, because another
 * process may be about to remove that.
 */
export function folderFor(status: Status, now: number): string {
  if (typeof status === 'number') return `due/${minuteOf(Math.max(status, now))}`;
  return 'aside';
}

/** A minute in UTC, such as `20261121T0816`. */
function minuteOf(time: number): string {
  const at = new Date(Math.min(time, latest)).toISOString();
  return at.slice(0, 16).replaceAll(/[-:]/g, '');
}

/** The last day whose year has four digits. */
const latest = Date.UTC(9999, 11, 31);

/** When the minute of a folder in `due` starts; `undefined` for other folders. */
export function startOf(minute: string): number | undefined {
  const time = minute.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5Z');
  return time === minute ? undefined : Date.parse(time) || undefined;
}

/** Whether no more files will be put into the folder of this minute. */
export const isOver = (start: number, now: number) => start + 2 * minuteMs < now;

/**
 * The format of a file: a line that names the format, a letter for each entry, and the entries. Only the
 * letters change; before a file waits again, its settled entries are overwritten with zeros. Each entry
 * starts with the file's mark and has a checksum of its head, so that damage does not affect its neighbours.
 * The content is checked when an entry is opened (`queue/content.ts`).
 *
 * ```text
 * form-relay kept 1\n
 * ...x..x.\n                                        . waits, x is settled
 * mark | number | bytes of head | of content | checksum of these and the head | head (a line) | content
 * ```
 */

export interface Entry {
  readonly kept: Queued;
  readonly isDamaged: boolean;
  /** Set if it represents a whole file that cannot be read. */
  readonly isUnread?: true;
}

const firstLine = Buffer.from(`${keptFormat}\n`);
const waits = 0x2e;
const settled = 0x78;
const newline = 0x0a;
const checksumBytes = 8;
const fixedBytes = 12 + checksumBytes;

/** The maximum total size of the contents in a shared file, in bytes. A larger entry gets its own file. */
export const mostBytes = 4_000_000;

/** Heads usually have a few hundred bytes; each non-ASCII character takes six. */
export const mostHeadBytes = 16_384;

export const lettersAt = firstLine.length;

const headBytes = (total: number) => firstLine.length + total + 1;

/** The letters of a file in which these entries are waiting. */
export function lettersOf({ total }: FileName, left: ReadonlySet<number>): Uint8Array {
  const letters = Buffer.alloc(total, settled);
  for (const number of left) letters[number] = waits;
  return letters;
}

export function write(mark: string, all: readonly Entry[]): readonly Uint8Array[] {
  const letters = Buffer.alloc(all.length + 1, waits);
  letters[all.length] = newline;
  return [
    Buffer.concat([firstLine, letters]),
    ...all.flatMap((entry, number) => record(Buffer.from(mark, 'hex'), number, entry)),
  ];
}

function record(mark: Buffer, number: number, { kept, isDamaged }: Entry): readonly Uint8Array[] {
  const head = Buffer.from(encodeHead(kept, isDamaged ? { isDamaged } : {}));
  const numbers = Buffer.alloc(12);
  numbers.writeUInt32BE(number, 0);
  numbers.writeUInt32BE(head.length, 4);
  numbers.writeUInt32BE(kept.content.length, 8);
  return [Buffer.concat([mark, numbers, checksum(numbers, head), head]), kept.content];
}

const checksum = (numbers: Uint8Array, head: Uint8Array) =>
  createHash('sha256').update(numbers).update(head).digest().subarray(0, checksumBytes);

/** Whether a newer relay wrote the file that starts with these bytes. */
const foreignIn = (bytes: Buffer): Foreign | undefined =>
  foreignFormat(bytes.toString('latin1', 0, Math.max(0, bytes.subarray(0, mostFirstLine).indexOf(newline))));

const mostFirstLine = 40;

/** The numbers of the settled entries; `undefined` if this version does not know the file's format. */
function readLetters(bytes: Buffer, { total }: FileName): ReadonlySet<number> | undefined {
  if (bytes.length > 0 && !bytes.subarray(0, firstLine.length).equals(firstLine.subarray(0, bytes.length)))
    return undefined;
  const end = bytes[firstLine.length + total];
  if (end !== undefined && end !== newline) return undefined;
  const letters = bytes.subarray(firstLine.length, firstLine.length + total);
  return new Set([...letters.keys()].filter((number) => letters[number] === settled));
}

/** The waiting entries in a file, by number. Missing or unreadable ones count as damaged. */
export function read(bytes: Buffer, name: FileName): ReadonlyMap<number, Entry> {
  const foreign = foreignIn(bytes);
  if (foreign)
    return new Map([
      [0, { ...damaged(name, 0), kept: foreignEntry(foreign, knownOf(name, 0)), isUnread: true }],
    ]);
  const settledOnes = readLetters(bytes, name);
  const found = settledOnes ? find(bytes, name) : new Map<number, Found>();
  const entries = new Map<number, Entry>();
  let end = Math.min(headBytes(name.total), bytes.length);
  for (let number = 0; number < name.total; number += 1) {
    const one = found.get(number);
    // The first missing entry gets the bytes in the gap.
    const next = [...found.values()].find(({ start }) => start >= end)?.start ?? bytes.length;
    const entry = one?.entry ?? damaged(name, number, bytes.subarray(end, next));
    end = one?.end ?? next;
    if (!settledOnes?.has(number)) entries.set(number, entry);
  }
  return entries;
}

/** The ranges of a file in which settled entries can still be read. */
export function settledIn(
  bytes: Buffer,
  name: FileName,
): readonly { readonly at: number; readonly length: number }[] {
  const settledOnes = readLetters(bytes, name);
  if (!settledOnes?.size) return [];
  return [...find(bytes, name)].flatMap(([number, { start, end }]) => {
    const at = start + markBytes;
    return settledOnes.has(number) ? [{ at, length: Math.min(end, bytes.length) - at }] : [];
  });
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly entry: Entry;
}

/** The entries with intact heads, in order. A file with many marks that do not start an entry was planted. */
function find(bytes: Buffer, { mark, total }: FileName): Map<number, Found> {
  const marks = Buffer.from(mark, 'hex');
  const found = new Map<number, Found>();
  let start = bytes.indexOf(marks, headBytes(total));
  for (let looks = 0; start >= 0 && looks < total + mostMisses; looks += 1) {
    const one = recordAt(bytes, start);
    if (one && one.number < total) found.set(one.number, one);
    start = bytes.indexOf(marks, one?.end ?? start + 1);
  }
  return found;
}

const mostMisses = 16;

function recordAt(bytes: Buffer, start: number): (Found & { readonly number: number }) | undefined {
  const at = start + markBytes;
  if (at + fixedBytes > bytes.length) return undefined;
  const numbers = bytes.subarray(at, at + 12);
  if (numbers.readUInt32BE(4) > mostHeadBytes) return undefined;
  const contentAt = at + fixedBytes + numbers.readUInt32BE(4);
  const head = bytes.subarray(at + fixedBytes, contentAt);
  if (!checksum(numbers, head).equals(bytes.subarray(at + 12, at + fixedBytes))) return undefined;
  const end = contentAt + numbers.readUInt32BE(8);
  const read = readEntry(bytes.subarray(at + fixedBytes, end));
  if (!read || typeof read === 'string') return undefined;
  const isDamaged = read.more.isDamaged === true || end > bytes.length;
  return { number: numbers.readUInt32BE(0), start, end, entry: { kept: read.kept, isDamaged } };
}

const knownOf = ({ mark, form, keptAt }: FileName, number: number) => ({
  id: `unread-${mark}-${number}`,
  form: decodeForm(form) ?? form,
  keptAt,
});

/** A placeholder for an unreadable entry, based on the name of its file. */
export const damaged = (name: FileName, number: number, content?: Uint8Array): Entry => ({
  kept: unreadableEntry(knownOf(name, number), content),
  isDamaged: true,
});
