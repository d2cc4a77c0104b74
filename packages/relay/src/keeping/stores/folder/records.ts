/**
 * How entries lie in a file: a line that says what it is, a letter for each entry, which alone ever changes, and the
 * entries. Each begins with the file's mark and has its head checked, so that what is damaged does not spoil its
 * neighbours. What is in an entry is checked when it is opened (`keeping/stores/content.ts`).
 *
 * ```text
 * form-relay kept 1\n
 * ...x..x.\n                                        . waits, x is settled
 * mark | number | bytes of head | of content | checksum of these and the head | head (JSON) | content
 * ```
 */
import { createHash } from 'node:crypto';
import type { Kept } from '../../../base/kept.ts';
import { headOf, type KeptHead, readHead } from '../head.ts';
import { decodeForm, type FileName, markBytes } from './names.ts';

/** One of a file's entries. */
export interface Entry {
  readonly kept: Kept;
  readonly isDamaged: boolean;
}

const firstLine = Buffer.from('form-relay kept 1\n');
const waits = 0x2e;
const settled = 0x78;
const newline = 0x0a;
const checksumBytes = 8;
const fixedBytes = 12 + checksumBytes;

/** The contents of what is written together. What is larger is written alone. */
export const mostBytes = 4_000_000;

/** A head has some hundred bytes. */
export const mostHeadBytes = 8_192;

/** Where the letter of an entry is. */
export const letterAt = (number: number) => firstLine.length + number;

export const headBytes = (total: number) => firstLine.length + total + 1;

/** Those of the letters that are to be written, from the first to the last that changed. */
export const settledLetters = (settledOnes: ReadonlySet<number>, from: number, to: number) =>
  Buffer.from(
    Array.from({ length: to - from + 1 }, (_, at) => (settledOnes.has(from + at) ? settled : waits)),
  );

/** A file's bytes, in pieces. */
export function write(mark: string, all: readonly Entry[]): readonly Uint8Array[] {
  const letters = Buffer.alloc(all.length + 1, waits);
  letters[all.length] = newline;
  return [
    firstLine,
    letters,
    ...all.flatMap((entry, number) => record(Buffer.from(mark, 'hex'), number, entry)),
  ];
}

function record(mark: Buffer, number: number, { kept, isDamaged }: Entry): readonly Uint8Array[] {
  const head = Buffer.from(JSON.stringify({ ...headOf(kept), ...(isDamaged && { isDamaged }) }));
  const numbers = Buffer.alloc(12);
  numbers.writeUInt32BE(number, 0);
  numbers.writeUInt32BE(head.length, 4);
  numbers.writeUInt32BE(kept.content.length, 8);
  return [mark, numbers, checksum(numbers, head), head, kept.content];
}

const checksum = (numbers: Uint8Array, head: Uint8Array) =>
  createHash('sha256').update(numbers).update(head).digest().subarray(0, checksumBytes);

/** Which of the entries are settled; `undefined`: this is none of this version's files. */
export function readLetters(bytes: Buffer, { total }: FileName): ReadonlySet<number> | undefined {
  if (bytes.length > 0 && !bytes.subarray(0, firstLine.length).equals(firstLine.subarray(0, bytes.length)))
    return undefined;
  const end = bytes[firstLine.length + total];
  if (end !== undefined && end !== newline) return undefined;
  const letters = bytes.subarray(firstLine.length, firstLine.length + total);
  return new Set([...letters.keys()].filter((number) => letters[number] === settled));
}

/** What waits in a file, by number. What is missing or cannot be read stands there as damaged. */
export function read(bytes: Buffer, name: FileName): ReadonlyMap<number, Entry> {
  const settledOnes = readLetters(bytes, name);
  const found = settledOnes ? find(bytes, name) : new Map<number, Found>();
  const entries = new Map<number, Entry>();
  let end = Math.min(headBytes(name.total), bytes.length);
  for (let number = 0; number < name.total; number += 1) {
    const one = found.get(number);
    // The first of those that are missing gets what lies where they were.
    const next = [...found.values()].find(({ start }) => start >= end)?.start ?? bytes.length;
    const entry = one?.entry ?? damaged(name, number, bytes.subarray(end, next));
    end = one?.end ?? next;
    if (!settledOnes?.has(number)) entries.set(number, entry);
  }
  return entries;
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly entry: Entry;
}

/** All whose head is whole, in their order. Where marks lead to none again and again, somebody has made the file up. */
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
  const content = bytes.subarray(contentAt, end);
  const about = parse(head);
  if (!about) return undefined;
  const isDamaged = about.isDamaged || end > bytes.length;
  return {
    number: numbers.readUInt32BE(0),
    start,
    end,
    entry: { kept: { ...about.head, content }, isDamaged },
  };
}

function parse(bytes: Buffer): { readonly head: KeptHead; readonly isDamaged: boolean } | undefined {
  try {
    const { isDamaged, ...about } = JSON.parse(bytes.toString());
    const head = readHead(about);
    return head && { head, isDamaged: isDamaged === true };
  } catch {
    return undefined;
  }
}

/** What the name of its file says of one that cannot be read. */
export function damaged({ mark, form, keptAt }: FileName, number: number, content: Uint8Array): Entry {
  const kept: Kept = {
    id: `damaged-${mark}-${number}`,
    form: decodeForm(form) ?? form,
    output: { place: 0, of: 0, type: '', fingerprint: '' },
    receivedAt: keptAt,
    keptAt,
    tries: 0,
    why: undefined,
    content,
  };
  return { kept, isDamaged: true };
}
