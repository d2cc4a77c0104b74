import { createHash } from 'node:crypto';
import type { Aside, Kept } from '../../../base/kept.ts';
import { parseJson } from '../../../transports/http/answer.ts';
import { headOf, isText, isTime, readAside, readHead, unreadableKept } from '../entry.ts';

/**
 * What a stream's subjects are. Few of them are enough to tell, without reading messages, how many entries wait, of which
 * form, and since when.
 */
export const subjectsOf = (stream: string) => ({
  all: `${stream}.>`,
  /** Tried again by themselves: those that the consumer hands out. */
  due: `${stream}.due.>`,
  aside: `${stream}.aside.>`,
  entry: (kind: 'due' | 'aside', { form, keptAt }: Pick<Kept, 'form' | 'keptAt'>) =>
    `${stream}.${kind}.${tokenOf(form)}.${Math.floor(keptAt / minute)}`,
  /** What is too large for one message lies in several, before the entry. */
  parts: `${stream}.part.>`,
  part: (id: string) => `${stream}.part.${id}`,
  /** Who was first. */
  firsts: `${stream}.first.>`,
  first: (key: string) => `${stream}.first.${createHash('sha256').update(key).digest('hex').slice(0, 32)}`,
  /** What each process has in registry. */
  registries: (kind: ClaimerKind) => `${stream}.${kind}.>`,
  registry: (kind: ClaimerKind, owner: string) => `${stream}.${kind}.${owner}`,
});

export type Subjects = ReturnType<typeof subjectsOf>;

/** In the hands of a relay, or of an owner. */
export type ClaimerKind = 'claimed' | 'taken';

const minute = 60_000;

/** One token of a subject: no dot, no wildcard, no space, and never empty. */
const tokenOf = (form: string) =>
  form === ''
    ? nobody
    : encodeURIComponent(Buffer.from(form).toString()).replace(/[.*]/g, (sign) =>
        sign === '.' ? '%2E' : '%2A',
      );

/** The form of an unreadable entry. */
const nobody = '%';

/** Parses the subject of an entry. */
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

/** Where the content of an entry lies that is too large for its message. */
export interface Parts {
  /** The last token of their subject. */
  readonly id: string;
  /** The sequence of each in the stream. */
  readonly at: readonly number[];
  /** Of all together. */
  readonly bytes: number;
}

/** How an entry waits. */
export interface Mark {
  readonly dueAt: number;
  readonly aside: Aside | undefined;
  /** It is in nobody's turn: its subject is that of what waits for its owner. */
  readonly isSealed: boolean;
  readonly parts: Parts | undefined;
}

/** One line of JSON, then the content, unless that lies in parts. */
export function writeMessage(kept: Kept, mark: Mark): Uint8Array {
  const line = Buffer.from(`${JSON.stringify({ ...headOf(kept), ...mark, dueAt: Math.ceil(mark.dueAt) })}\n`);
  return mark.parts ? line : Buffer.concat([line, kept.content]);
}

export interface Message {
  readonly kept: Kept;
  readonly mark: Mark;
  readonly isDamaged: boolean;
}

/** A foreign message counts as damaged; all of it is the content. */
export function readMessage(subject: string, seq: number, data: Uint8Array): Message {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const end = bytes.indexOf('\n');
  const found = parseJson(bytes.toString('utf8', 0, Math.max(end, 0)));
  const head = readHead(found);
  const mark = head && readMark(found);
  if (head && mark) {
    const content = mark.parts ? new Uint8Array() : bytes.subarray(end + 1);
    return { kept: { ...head, content }, mark, isDamaged: false };
  }
  const { kind, form = '', keptMinute = 0 } = readSubject(subject) ?? {};
  const kept = unreadableKept({ id: `damaged-${seq}`, form, keptAt: keptMinute }, bytes);
  const aside = kind === 'aside' ? 'unreadable' : undefined;
  return { kept, mark: { dueAt: 0, aside, isSealed: false, parts: undefined }, isDamaged: true };
}

function readMark(found: unknown): Mark | undefined {
  const { dueAt, aside, isSealed, parts } = found as Mark;
  const isSound = isTime(Math.ceil(dueAt)) && (aside === undefined || readAside(aside) !== undefined);
  if (!isSound || (parts !== undefined && !areParts(parts))) return undefined;
  return {
    dueAt: Math.ceil(dueAt),
    aside,
    isSealed: isSealed === true,
    parts: parts && { id: parts.id, at: parts.at, bytes: parts.bytes },
  };
}

const areParts = ({ id, at, bytes }: Parts) =>
  isText(id) && /^[\w-]+$/.test(id) && Array.isArray(at) && at.every(isTime) && isTime(bytes);
