import { setTimeout as sleep } from 'node:timers/promises';
import { askS3, createBucketReader, createPutObject, s3Refusal } from '@form-relay/clients/aws/s3_client';
import type { Aws } from '@form-relay/core/index';
import {
  encodeHead,
  foreignEntry,
  isText,
  isTime,
  readEntry as readBytes,
  readDeadLetter,
  unreadableEntry,
} from './entry.ts';
import type { Bucket, DeadLetterReason, Lease, Queued } from './store.ts';

export interface Entry {
  /** The entry, with empty content if the content is in `object`. */
  readonly kept: Queued;
  /** The object in a bucket that holds the content, if that is too large for a message. */
  readonly object: StoredObject | undefined;
  readonly dueAt: number;
  readonly deadLetter: DeadLetterReason | undefined;
}

interface StoredObject {
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
}

/** Encodes a message's body in ASCII, where a character is a byte. The content is in base64. */
export function writeEntry({ kept, object, dueAt, deadLetter }: Entry): string {
  return encodeHead(kept, { dueAt, aside: deadLetter, object }) + (object ? '' : base64(kept.content));
}

/** Decodes a message's body; `undefined` for an unknown message. */
export function readEntry(body: string): Entry | undefined {
  const read = readBytes(Buffer.from(body));
  if (!read || typeof read === 'string') return undefined;
  const { dueAt, aside, object } = read.more;
  const content = bytesOf(String(Buffer.from(read.kept.content)));
  if (!content || !isTime(dueAt) || (object !== undefined && !isObject(object))) return undefined;
  return { kept: { ...read.kept, content }, object, dueAt, deadLetter: readDeadLetter(aside) };
}

/** A placeholder for a message that `readEntry` does not know. */
export function unknownEntry(id: string, body: string, keptAt: number): Queued {
  const read = readBytes(Buffer.from(body));
  const known = { id, form: '', keptAt };
  return typeof read === 'string' ? foreignEntry(read, known) : unreadableEntry(known);
}

const base64 = ({ buffer, byteOffset, length }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, length).toString('base64');

function bytesOf(content: string): Uint8Array | undefined {
  const bytes = Buffer.from(content, 'base64');
  // Node skips invalid characters, so compare the text.
  return base64(bytes) === content ? bytes : undefined;
}

function isObject(found: unknown): found is StoredObject {
  const { bucket, key, size } = (found ?? {}) as Partial<StoredObject>;
  return isText(bucket) && isText(key) && Number.isSafeInteger(size);
}

/** The longest wait of any attempt (`retry_policy.ts`). A later due time comes from a wrong clock. */
const longestWaitMs = 27 * 3_600_000;

/** The seconds until an entry is due; 0 if it is due now, or would never be. */
export function secondsUntil(dueAt: number, now: number): number {
  const waitMs = dueAt - now;
  return waitMs > longestWaitMs ? 0 : Math.max(0, Math.ceil(waitMs / 1_000));
}

/** The content of the next message; not set if there is no next message. */
type Next = Pick<Entry, 'kept'> & Partial<Entry>;

/** The lease of a message. Rejects with a `ClientError` if its content cannot be read now. */
export async function leaseOf(
  { kept, object }: Entry,
  objects: Objects | undefined,
  settle: (next?: Next) => Promise<void>,
): Promise<Lease> {
  const content = object ? await objects?.read(object, kept.id) : kept.content;
  return {
    kept: { ...kept, content: content ?? new Uint8Array() },
    ...(!content && { isDamaged: true }),
    done: async () => {
      await settle();
      // If the object cannot be removed, leave it, because that is no reason to deliver again.
      if (object) await objects?.remove(object, kept.id).catch(() => undefined);
    },
    reschedule: (dueAt, kept) => settle({ kept, dueAt, deadLetter: undefined }),
    deadLetter: (reason, kept) => settle({ kept, deadLetter: reason }),
  };
}

/** The lease of an unknown message, which is passed on unchanged. */
export const unknownLease = (
  kept: Queued,
  settle: (passOn?: 'main' | 'dead_letters') => Promise<void>,
): Lease => ({
  kept,
  isDamaged: true,
  done: () => settle(),
  reschedule: () => settle('main'),
  deadLetter: () => settle('dead_letters'),
});

const deleteMs = 5_000;

export type Objects = ReturnType<typeof createObjects>;

/** The store of large contents in a bucket. All methods reject with a `ClientError`. */
export function createObjects(aws: Aws, { bucket, prefix }: Bucket) {
  const putObject = createPutObject(aws);
  const reader = createBucketReader(aws, { random: Math.random, sleep }, bucket);
  const keyOf = (id: string) => `${prefix}kept-${id}`;
  /** Anyone who can write to the queue must not be able to make the relay read or delete other objects. */
  const isOurs = (object: StoredObject, id: string) => object.bucket === bucket && object.key === keyOf(id);
  return {
    put: async (id: string, bytes: Uint8Array, timeoutMs: number): Promise<StoredObject> => {
      const key = keyOf(id);
      const content = { byteLength: bytes.length, pieces: () => [bytes] };
      const object = { path: key, type: 'application/octet-stream', content };
      await putObject({ bucket, key, object, timeoutMs });
      return { bucket, key, size: bytes.length };
    },
    /** Reads an object; `undefined` if it is gone or not the relay's. */
    read: async (object: StoredObject, id: string): Promise<Uint8Array | undefined> => {
      if (!isOurs(object, id)) return undefined;
      const found = await reader.read(object.key, object.size);
      return found.ok ? found.value : undefined;
    },
    remove: async (object: StoredObject, id: string): Promise<void> => {
      if (!isOurs(object, id)) return;
      const { key } = object;
      const answer = await askS3(aws, { method: 'DELETE', bucket, key, timeoutMs: deleteMs });
      if (answer.status >= 300) throw s3Refusal(answer, { bucket, key, action: 's3:DeleteObject' });
    },
  };
}
