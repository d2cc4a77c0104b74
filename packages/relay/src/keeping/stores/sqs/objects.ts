import type { Keep } from '../../../base/kept.ts';
import type { Aws } from '../../../transports/aws/account.ts';
import { askS3, createPutObject, s3Refusal } from '../../../transports/aws/s3_request.ts';
import { createBucketReader } from '../../../transports/s3/read_bucket.ts';
import type { StoredObject } from './entry.ts';

/** Contents that are too large for a message, in a bucket. What fails rejects with a `ClientError`. */
export interface Objects {
  put(id: string, bytes: Uint8Array, timeoutMs: number): Promise<StoredObject>;
  /** `undefined`: it is gone, or none that the relay has put there. */
  read(object: StoredObject, id: string): Promise<Uint8Array | undefined>;
  remove(object: StoredObject, id: string): Promise<void>;
}

const deleteMs = 5_000;

export function createObjects(aws: Aws, { bucket, prefix }: NonNullable<Keep['filesIn']>): Objects {
  const putObject = createPutObject(aws);
  const waiting = {
    random: Math.random,
    sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)),
  };
  const reader = createBucketReader(aws, waiting, bucket);
  const keyOf = (id: string) => `${prefix}kept-${id}`;
  /** Who can write into the queue names no other object for the relay to read and delete. */
  const isOurs = (object: StoredObject, id: string) => object.bucket === bucket && object.key === keyOf(id);
  return {
    put: async (id, bytes, timeoutMs) => {
      const key = keyOf(id);
      const content = { byteLength: bytes.length, pieces: () => [bytes] };
      const object = { path: key, type: 'application/octet-stream', content };
      await putObject({ bucket, key, object, timeoutMs });
      return { bucket, key, size: bytes.length };
    },
    read: async (object, id) => {
      if (!isOurs(object, id)) return undefined;
      const found = await reader.read(object.key, object.size);
      return found.ok ? found.value : undefined;
    },
    remove: async (object, id) => {
      if (!isOurs(object, id)) return;
      const { key } = object;
      const answer = await askS3(aws, { method: 'DELETE', bucket, key, timeoutMs: deleteMs });
      if (answer.status >= 300) throw s3Refusal(answer, { bucket, key, action: 's3:DeleteObject' });
    },
  };
}
