import {
  encodeEntry,
  foreignEntry,
  isText,
  isTime,
  readDeadLetter,
  readEntry,
  unreadableEntry,
} from '../entry.ts';
import type { DeadLetterReason, Queued } from '../store.ts';

/** The subjects of a stream, which show how many entries of each form are waiting, and since when, without reading messages. */
export const subjectsOf = (stream: string) => ({
  all: `${stream}.>`,
  /** Entries that the consumer hands out for another attempt. */
  due: `${stream}.due.>`,
  deadLetters: `${stream}.aside.>`,
  entry: (kind: 'due' | 'aside', { form, keptAt }: Pick<Queued, 'form' | 'keptAt'>) =>
    `${stream}.${kind}.${tokenOf(form)}.${Math.floor(keptAt / minute)}`,
  /** Contents too large for a message, written before their entry. */
  parts: `${stream}.part.>`,
  part: (id: string) => `${stream}.part.${id}`,
  /** Versions of counts. */
  count: (key: string) => `${stream}.count.${key}`,
  /** The leases of each process. */
  registries: (kind: LeaseKind) => `${stream}.${kind}.>`,
  registry: (kind: LeaseKind, owner: string) => `${stream}.${kind}.${owner}`,
});

export type Subjects = ReturnType<typeof subjectsOf>;

/** Whether a relay (`claimed`) or an owner (`taken`) has the lease. */
export type LeaseKind = 'claimed' | 'taken';

const minute = 60_000;

/** A form's id as a token of a subject, without dots, wildcards and spaces, and never empty. */
const tokenOf = (form: string) =>
  form === ''
    ? nobody
    : encodeURIComponent(Buffer.from(form).toString()).replace(/[.*]/g, (sign) =>
        sign === '.' ? '%2E' : '%2A',
      );

/** The form of unreadable entries. */
const nobody = '%';

export function readSubject(
  subject: string,
): { readonly kind: 'due' | 'aside'; readonly form: string; readonly keptMinute: number } | undefined {
  const [, kind = '', form = '', minutes = ''] = subject.split('.');
  const keptMinute = Number(minutes) * minute;
  try {
    const isEntry = (kind === 'due' || kind === 'aside') && minutes !== '' && isTime(keptMinute);
    return isEntry ? { kind, form: form === nobody ? '' : decodeURIComponent(form), keptMinute } : undefined;
  } catch {
    return undefined;
  }
}

/** The parts of a content that is too large for its message. */
export interface Parts {
  /** The last token of the parts' subject. */
  readonly id: string;
  /** The sequence number of each part. */
  readonly at: readonly number[];
  /** The total size of the parts. */
  readonly bytes: number;
}

export interface Mark {
  readonly dueAt: number;
  readonly deadLetter: DeadLetterReason | undefined;
  readonly parts: Parts | undefined;
}

/** Encodes a message. If the content is in parts, it is left out. */
export const writeMessage = (kept: Queued, { dueAt, deadLetter, parts }: Mark): Uint8Array =>
  encodeEntry(parts ? { ...kept, content: new Uint8Array() } : kept, {
    dueAt: Math.ceil(dueAt),
    aside: deadLetter,
    parts,
  });

export interface Message {
  readonly kept: Queued;
  readonly mark: Mark;
  readonly isDamaged: boolean;
}

/** Decodes a message. An unknown message counts as a damaged entry with the whole message as its content. */
export function readMessage(subject: string, seq: number, data: Uint8Array): Message {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const read = readEntry(bytes);
  const isKnown = read !== undefined && typeof read !== 'string';
  const mark = isKnown && readMark(read.more);
  if (mark) return { kept: read.kept, mark, isDamaged: false };
  const { kind, form = '', keptMinute = 0 } = readSubject(subject) ?? {};
  const known = { form, keptAt: keptMinute };
  const kept =
    typeof read === 'string'
      ? foreignEntry(read, { id: `foreign-${seq}`, ...known })
      : unreadableEntry({ id: `damaged-${seq}`, ...known }, bytes);
  const deadLetter = kind === 'aside' ? 'unreadable' : undefined;
  return { kept, mark: { dueAt: 0, deadLetter, parts: undefined }, isDamaged: true };
}

function readMark(found: Readonly<Record<string, unknown>>): Mark | undefined {
  const { dueAt, aside, parts } = found as Partial<Mark> & { readonly aside?: unknown };
  const deadLetter = readDeadLetter(aside);
  const isSound = isTime(dueAt) && deadLetter === aside;
  if (!isSound || (parts !== undefined && !areParts(parts))) return undefined;
  return { dueAt, deadLetter, parts: parts && { id: parts.id, at: parts.at, bytes: parts.bytes } };
}

const areParts = ({ id, at, bytes }: Parts) =>
  isText(id) && /^[\w-]+$/.test(id) && Array.isArray(at) && at.every(isTime) && isTime(bytes);
