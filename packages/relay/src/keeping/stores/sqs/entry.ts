import type { Aside, Kept } from '../../../base/kept.ts';
import { headOf, isText, isTime, readHead } from '../head.ts';

/** What a message of the queue says. */
export interface Entry {
  /** Its content is empty where that is an object in a bucket, since it is too large for a message. */
  readonly kept: Kept;
  readonly object: StoredObject | undefined;
  readonly dueAt: number;
  /** Of what waits for its owner. */
  readonly aside: Aside | undefined;
  readonly isSealed: boolean;
}

export interface StoredObject {
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
}

/** How a message is to be read. Another version of the relay may write another one. */
const format = 'form-relay kept 1';

/** A message's body, in ASCII: SQS takes no text that XML could not hold, and a character is a byte. */
export function writeEntry({ kept, object, dueAt, aside, isSealed }: Entry): string {
  const { content } = kept;
  const written = {
    format,
    ...headOf(kept),
    dueAt,
    aside,
    isSealed,
    ...(object ? { object } : { content: base64(content) }),
  };
  return JSON.stringify(written).replaceAll(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** `undefined`: nobody here wrote it so. */
export function readEntry(body: string): Entry | undefined {
  const read = parse(body);
  if (read?.format !== format) return undefined;
  const head = readHead(read);
  const { dueAt, aside, isSealed, object, content } = read;
  const bytes = content === undefined ? new Uint8Array() : bytesOf(content);
  const isSound = isTime(dueAt) && (object === undefined ? content !== undefined : isObject(object));
  if (!head || !bytes || !isSound) return undefined;
  return {
    kept: { ...head, content: bytes },
    object: object as StoredObject | undefined,
    dueAt,
    aside: asides.find((one) => one === aside),
    isSealed: isSealed === true,
  };
}

/** Of what nobody can read: only that it is there. */
export const unknownKept = (id: string, now: number): Kept => ({
  id,
  form: '',
  output: { place: 0, of: 0, type: '', fingerprint: '' },
  receivedAt: now,
  keptAt: now,
  tries: 0,
  why: undefined,
  content: new Uint8Array(),
});

const asides: readonly Aside[] = ['refused', 'expired', 'unreadable'];

const base64 = ({ buffer, byteOffset, length }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, length).toString('base64');

function bytesOf(content: unknown): Uint8Array | undefined {
  if (!isText(content)) return undefined;
  const bytes = Buffer.from(content, 'base64');
  // Node takes any text for base64, and leaves out what is none.
  return base64(bytes) === content ? bytes : undefined;
}

function isObject(found: unknown): found is StoredObject {
  const { bucket, key, size } = (found ?? {}) as Partial<StoredObject>;
  return isText(bucket) && isText(key) && Number.isSafeInteger(size);
}

function parse(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const read: unknown = JSON.parse(body);
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
