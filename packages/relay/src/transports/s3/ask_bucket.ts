import { randomUUID } from 'node:crypto';
import type { Aws } from '../aws/account.ts';
import { askS3, s3Refusal } from '../aws/s3.ts';
import { encodeRfc3986 } from '../aws/sign.ts';
import { createPutObject } from './put_object.ts';

/** Looks into a bucket, or writes an object and deletes it. Rejects with a `ClientError` when it cannot. */
export type AskBucket = (asked: {
  readonly bucket: string;
  readonly prefix: string;
  readonly timeoutMs: number;
}) => Promise<void>;

/** S3 ListObjectsV2, of one key. */
export const createLookIntoBucket =
  (aws: Aws): AskBucket =>
  async ({ bucket, prefix, timeoutMs }) => {
    const search = `?list-type=2&max-keys=1&prefix=${encodeRfc3986(prefix)}`;
    const answer = await askS3(aws, { method: 'GET', bucket, key: '', search, timeoutMs });
    if (answer.status !== 200) throw s3Refusal(answer, { bucket, key: '', action: 's3:ListBucket' });
  };

export const createWriteIntoBucket = (aws: Aws): AskBucket => {
  const putObject = createPutObject(aws);
  return async ({ bucket, prefix, timeoutMs }) => {
    const path = `relay-doctor-${randomUUID()}`;
    const key = prefix + path;
    const bytes = Buffer.from('relay doctor');
    const content = { byteLength: bytes.length, pieces: () => [bytes] };
    await putObject({ bucket, key, object: { path, type: 'text/plain', content }, timeoutMs });
    const answer = await askS3(aws, { method: 'DELETE', bucket, key, timeoutMs });
    if (answer.status >= 300) throw s3Refusal(answer, { bucket, key, action: 's3:DeleteObject' });
  };
};
