import { parseJson } from '@form-relay/base/json';
import {
  headOf,
  isNewerFormat,
  isText,
  isTime,
  keptFormat,
  newerEntry,
  readAside,
  readHead,
  unreadableEntry,
} from '../entry.ts';
import type { DeadLetterReason, Queued } from '../store.ts';

/** The subjects of a stream. The subjects show how many entries of which form wait since when, without reading messages. */
export const subjectsOf = (stream: string) => ({
  all: `${stream}.>`,
  /** Entries that the consumer hands out, to be tried again. */
  due: `${stream}.due.>`,
  aside: `${stream}.aside.>`,
  entry: (kind: 'due' | 'aside', { form, keptAt }: Pick<Queued, 'form' | 'keptAt'>) =>
    `${stream}.${kind}.${tokenOf(form)}.${Math.floor(keptAt / minute)}`,
  /** Contents that are too large for a message, written before their entry. */
  parts: `${stream}.part.>`,
  part: (id: string) => `${stream}.part.${id}`,
  /** Versions of what is counted. */
  count: (key: string) => `${stream}.count.${key}`,
  /** The leases of each process. */
  registries: (kind: LeaseKind) => `${stream}.${kind}.>`,
  registry: (kind: LeaseKind, owner: string) => `${stream}.${kind}.${owner}`,
});

export type Subjects = ReturnType<typeof subjectsOf>;

/** Leased by a relay (`claimed`) or by an owner (`taken`). */
export type LeaseKind = 'claimed' | 'taken';

const minute = 60_000;

/** A form's id as a token of a subject: no dot, wildcard or space, and never empty. */
const tokenOf = (form: string) =>
  form === ''
    ? nobody
    : encodeURIComponent(Buffer.from(form).toString()).replace(/[.*]/g, (sign) =>
        sign === '.' ? '%2E' : '%2A',
      );

/** The form of an unreadable entry. */
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
  /** The sequence number of each. */
  readonly at: readonly number[];
  /** The size of all together. */
  readonly bytes: number;
}

export interface Mark {
  readonly dueAt: number;
  readonly aside: DeadLetterReason | undefined;
  readonly parts: Parts | undefined;
}

/** Writes a line of JSON, then the content, unless that lies in parts. */
export function writeMessage(kept: Queued, mark: Mark): Uint8Array {
  const head = { format: keptFormat, ...headOf(kept), ...mark, dueAt: Math.ceil(mark.dueAt) };
  const line = Buffer.from(`${JSON.stringify(head)}\n`);
  return mark.parts ? line : Buffer.concat([line, kept.content]);
}

export interface Message {
  readonly kept: Queued;
  readonly mark: Mark;
  readonly isDamaged: boolean;
}

/** A foreign message counts as a damaged entry, with all of it as the content. */
export function readMessage(subject: string, seq: number, data: Uint8Array): Message {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const end = bytes.indexOf('\n');
  const found = parseJson(bytes.toString('utf8', 0, Math.max(end, 0)));
  const isNewer = isNewerFormat((found as { readonly format?: unknown } | null | undefined)?.format);
  const head = isNewer ? undefined : readHead(found);
  const mark = head && readMark(found);
  if (head && mark) {
    const content = mark.parts ? new Uint8Array() : bytes.subarray(end + 1);
    return { kept: { ...head, content }, mark, isDamaged: false };
  }
  const { kind, form = '', keptMinute = 0 } = readSubject(subject) ?? {};
  const known = { form, keptAt: keptMinute };
  const kept = isNewer
    ? newerEntry({ id: `newer-${seq}`, ...known })
    : unreadableEntry({ id: `damaged-${seq}`, ...known }, bytes);
  const aside = kind === 'aside' ? 'unreadable' : undefined;
  return { kept, mark: { dueAt: 0, aside, parts: undefined }, isDamaged: true };
}

function readMark(found: unknown): Mark | undefined {
  const { dueAt, aside, isSealed, parts } = found as Mark & { readonly isSealed?: boolean };
  const isSound = isTime(Math.ceil(dueAt)) && (aside === undefined || readAside(aside) !== undefined);
  if (!isSound || (parts !== undefined && !areParts(parts))) return undefined;
  return {
    dueAt: Math.ceil(dueAt),
    aside: isSealed === true ? 'unreadable' : aside,
    parts: parts && { id: parts.id, at: parts.at, bytes: parts.bytes },
  };
}

const areParts = ({ id, at, bytes }: Parts) =>
  isText(id) && /^[\w-]+$/.test(id) && Array.isArray(at) && at.every(isTime) && isTime(bytes);
