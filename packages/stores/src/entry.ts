import { failed } from './failures.ts';
import type { DeadLetterReason, Lease, Queued, QueuedOutput } from './store.ts';

const version = 1;

/** Heads each stored entry. Version 0.1.0 wrote it into files and messages of SQS alone. */
export const keptFormat = `form-relay kept ${version}`;

/** Whether a newer relay wrote what this heads: then it stays as it is. */
export const isNewerFormat = (format: unknown): boolean =>
  isText(format) && Number(/^form-relay kept (\d{1,9})$/.exec(format)?.[1]) > version;

/** The largest submission that is kept, in bytes, with the usual UPLOAD_BUDGET. */
export const usualMostKept = 2 ** 26;

/** An entry without its content, which stores write in clear. */
export type QueuedHead = Omit<Queued, 'content'>;

/** The longest reason that is kept, in characters. */
const mostWords = 1_000;

export function headOf({ content: _, ...head }: Queued): QueuedHead {
  const { why } = head;
  if (!why || why.words.length <= mostWords) return head;
  return { ...head, why: { code: why.code, words: why.words.slice(0, mostWords) } };
}

/** Reads what a store returned, which may be damaged, forged or of another version. `undefined` if it is no head. */
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

/** An id becomes a header, a boundary and a part of paths. */
export const isId = (found: unknown): found is string => isText(found) && /^[\w.:-]{1,200}$/.test(found);

/** Milliseconds since the epoch, within the range of dates. Some clocks count fractions. */
export const isTime = (found: unknown): found is number =>
  typeof found === 'number' && found >= 0 && found <= 8.64e15;

const isMap = (found: unknown): found is object => typeof found === 'object' && found !== null;
export const isText = (found: unknown): found is string => typeof found === 'string';
const isCount = (found: unknown): found is number => Number.isInteger(found) && (found as number) >= 0;

/** Stands for an unreadable entry, of which only its place is known. */
export const unreadableEntry = (
  known: Pick<Queued, 'id' | 'form' | 'keptAt'>,
  content: Uint8Array = new Uint8Array(),
): Queued => ({
  ...known,
  output: { place: 0, of: 0, type: '', fingerprint: '' },
  receivedAt: known.keptAt,
  tries: 0,
  why: undefined,
  content,
});

/** Stands for an entry that a newer relay wrote: shown with this reason, and never settled. */
export const newerEntry = (known: Pick<Queued, 'id' | 'form' | 'keptAt'>): Queued => {
  const { code = '', message } = failed('store_newer');
  return { ...unreadableEntry(known), why: { code, words: message } };
};

export const isNewer = ({ why, output }: Queued): boolean => why?.code === 'store_newer' && output.of === 0;

/** `undefined` for anything else that a store may hold. */
export const readAside = (found: unknown): DeadLetterReason | undefined =>
  (['refused', 'expired', 'unreadable'] satisfies DeadLetterReason[]).find((one) => one === found);

/** An entry as bytes: its head as JSON in one line, and its content. */
export function encodeEntry(kept: Queued): Uint8Array {
  return Buffer.concat([
    Buffer.from(`${JSON.stringify({ format: keptFormat, ...headOf(kept) })}\n`),
    kept.content,
  ]);
}

/** @param known What the store knows without the bytes, for an entry that is damaged. */
export function decodeEntry(
  bytes: Uint8Array,
  known: Pick<Queued, 'id' | 'form' | 'keptAt'>,
): Pick<Lease, 'kept' | 'isDamaged'> {
  const end = bytes.indexOf(0x0a);
  const content = bytes.subarray(end + 1);
  try {
    const found = JSON.parse(Buffer.from(bytes.subarray(0, end)).toString());
    if (isNewerFormat(found?.format)) return { kept: newerEntry(known), isDamaged: true };
    const head = readHead(found);
    if (head?.id === known.id) return { kept: { ...head, content } };
  } catch {}
  return { kept: unreadableEntry(known, content), isDamaged: true };
}
