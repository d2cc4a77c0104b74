import { failed } from './failures.ts';
import type { DeadLetterReason, Lease, Queued, QueuedOutput } from './store.ts';

const version = 1;

/** The first line of stored entries, and of files with entries. */
export const keptFormat = `form-relay kept ${version}`;

/** Why an entry is left unchanged: a newer relay wrote it. */
export type Foreign = 'store_newer';

/** Whether a newer relay wrote entries with this first line. */
export function foreignFormat(format: unknown): Foreign | undefined {
  const found = isText(format) ? Number(/^form-relay kept (\d{1,9})$/.exec(format)?.[1]) : Number.NaN;
  return found > version ? 'store_newer' : undefined;
}

/** The size limit of queued submissions, in bytes, with the default UPLOAD_BUDGET. */
export const usualMostKept = 2 ** 26;

/** An entry without its content; stores write it unencrypted. */
export type QueuedHead = Omit<Queued, 'content'>;

/** The size limit of stored reasons, in characters. */
const mostWords = 1_000;

/** The value of `keptAt` for held entries: the last possible date, so that they are never late. */
export const heldAt = 8.64e15;

export function headOf({ content: _, ...head }: Queued): QueuedHead {
  const { why } = head;
  if (!why || why.words.length <= mostWords) return head;
  return { ...head, why: { code: why.code, words: why.words.slice(0, mostWords) } };
}

/** Validates a head from a store, which may be damaged, forged or from a newer relay. `undefined` if it is invalid. */
export function readHead(found: unknown): QueuedHead | undefined {
  const head = found as QueuedHead | null;
  if (!isMap(head)) return undefined;
  const { id, form, receivedAt, keptAt, tries, why, assigned } = head;
  const output = readOutput(head.output);
  const isSound =
    isId(id) &&
    isText(form) &&
    isTime(receivedAt) &&
    isTime(keptAt) &&
    isCount(tries) &&
    (why === undefined || (isMap(why) && isText(why.code) && isText(why.words)));
  if (!isSound || !output) return undefined;
  return {
    id,
    form,
    output,
    receivedAt,
    keptAt,
    tries,
    why: why && { code: why.code, words: why.words },
    ...(isText(assigned) && { assigned }),
  };
}

export function readOutput(found: unknown): QueuedOutput | undefined {
  if (!isMap(found)) return undefined;
  const { place, of, type, fingerprint } = found as QueuedOutput;
  const isSound = isCount(place) && isCount(of) && isText(type) && isText(fingerprint);
  return isSound ? { place, of, type, fingerprint } : undefined;
}

/** Whether a value is an id. Ids become headers, boundaries and parts of paths. */
export const isId = (found: unknown): found is string => isText(found) && /^[\w.:-]{1,200}$/.test(found);

/** Whether a value is a time in milliseconds since the epoch, within the range of dates. Some clocks have fractions. */
export const isTime = (found: unknown): found is number =>
  typeof found === 'number' && found >= 0 && found <= 8.64e15;

const isMap = (found: unknown): found is object => typeof found === 'object' && found !== null;
export const isText = (found: unknown): found is string => typeof found === 'string';
const isCount = (found: unknown): found is number => Number.isInteger(found) && (found as number) >= 0;

/** A placeholder for an unreadable entry, of which only the location is known. */
export const unreadableEntry = (
  known: Pick<Queued, 'id' | 'form' | 'keptAt'>,
  content: Uint8Array = new Uint8Array(),
): Queued => ({
  ...known,
  output: { place: 0, of: 0, type: '', fingerprint: '' },
  receivedAt: known.keptAt,
  tries: 0,
  why: { code: 'damaged', words: 'the entry is damaged' },
  content,
});

/** A placeholder for the entry of a newer relay, which is listed with this reason and never settled. */
export const foreignEntry = (code: Foreign, known: Pick<Queued, 'id' | 'form' | 'keptAt'>): Queued => ({
  ...unreadableEntry(known),
  why: { code, words: failed(code).message },
});

export const foreignIn = ({ why, output }: Queued): Foreign | undefined =>
  output.of === 0 && why?.code === 'store_newer' ? why.code : undefined;

/** Validates a dead-letter reason; `undefined` for anything else that a store may contain. */
export const readDeadLetter = (found: unknown): DeadLetterReason | undefined =>
  (['refused', 'expired', 'unreadable'] satisfies DeadLetterReason[]).find((one) => one === found);

/**
 * The head of an entry, as a line of JSON in ASCII, because SQS accepts only text that is valid in XML.
 * @param more Additions of the store.
 */
export function encodeHead(kept: Queued, more: object = {}): string {
  const head = JSON.stringify({ format: keptFormat, ...headOf(kept), ...more });
  return `${head.replaceAll(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}\n`;
}

/** An entry as bytes: its head and its content. */
export const encodeEntry = (kept: Queued, more: object = {}): Uint8Array =>
  Buffer.concat([Buffer.from(encodeHead(kept, more)), kept.content]);

/** Decodes an entry and the store's additions, or returns why it must be left unchanged. `undefined` if it is damaged. */
export function readEntry(
  bytes: Uint8Array,
): { readonly kept: Queued; readonly more: Readonly<Record<string, unknown>> } | Foreign | undefined {
  const end = bytes.indexOf(0x0a);
  let found: unknown;
  try {
    found = JSON.parse(Buffer.from(bytes.subarray(0, end < 0 ? undefined : end)).toString());
  } catch {
    return undefined;
  }
  const more = isMap(found) ? (found as Readonly<Record<string, unknown>>) : {};
  const head = readHead(found);
  if (more.format !== keptFormat) return foreignFormat(more.format);
  return head && end >= 0 ? { kept: { ...head, content: bytes.subarray(end + 1) }, more } : undefined;
}

/** @param known What the store knows without the bytes, for damaged entries. */
export function decodeEntry(
  bytes: Uint8Array,
  known: Pick<Queued, 'id' | 'form' | 'keptAt'>,
): Pick<Lease, 'kept' | 'isDamaged'> {
  const read = readEntry(bytes);
  if (typeof read === 'string') return { kept: foreignEntry(read, known), isDamaged: true };
  if (read?.kept.id === known.id) return { kept: read.kept };
  const content = bytes.subarray(bytes.indexOf(0x0a) + 1);
  return { kept: unreadableEntry(known, content), isDamaged: true };
}
