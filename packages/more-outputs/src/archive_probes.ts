/** Tests of archives, for `relay doctor`. */
import { randomUUID } from 'node:crypto';
import { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, ok, warning } from '@form-relay/base/finding';
import { askS3, createPutObject, s3Refusal } from '@form-relay/clients/aws/s3_client';
import { encodeRfc3986 } from '@form-relay/clients/aws/sign';
import { tryFolder } from '@form-relay/clients/folder';
import type { ProbeCall } from '@form-relay/core/outputs/delivery';
import type { Aws } from '@form-relay/core/services';

/** Checks that a folder exists and is writable. */
export async function probeFolder(path: string, { writes }: ProbeCall): Promise<readonly Finding[]> {
  try {
    await tryFolder(path, { writes });
    const says = writes
      ? 'accepts files: a test file was written and deleted'
      : 'exists, and this user may write to it; nothing was written';
    return [ok(path, says)];
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const remedy = 'Run relay doctor where the relay runs, as the same user.';
    return [failure(path, error.message, remedy)];
  }
}

interface BucketPart {
  readonly bucket: string;
  readonly prefix: string;
}

/** Checks that a bucket exists and accepts objects. */
export async function probeBucket(
  aws: Aws,
  name: string,
  part: BucketPart,
  { writes, timeoutMs }: ProbeCall,
): Promise<readonly Finding[]> {
  try {
    await (writes ? writeInto : list)(aws, part, timeoutMs);
    return [
      ok(
        name,
        writes ? 'accepts objects: a test object was written and deleted' : 'exists; nothing was written',
      ),
    ];
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { action } = error.params as { readonly action?: string };
    // The relay needs only `s3:PutObject`, so a denial of another action says nothing about deliveries.
    if (action === 's3:ListBucket') {
      const remedy =
        'Run `relay doctor --write`, which writes one object and deletes it; or allow s3:ListBucket for this role.';
      return [warning(name, 'cannot be checked: access denied (AccessDenied)', remedy)];
    }
    if (action === 's3:DeleteObject') {
      const remedy =
        'Delete the object whose name starts with relay-doctor-; the relay itself never deletes objects.';
      return [warning(name, 'accepts objects, but the test object could not be deleted', remedy)];
    }
    const remedy = 'Set a region, credentials and a bucket that the relay may write to.';
    return [failure(name, error.message, remedy)];
  }
}

/** Lists one key (S3 ListObjectsV2). */
async function list(aws: Aws, { bucket, prefix }: BucketPart, timeoutMs: number): Promise<void> {
  const search = `?list-type=2&max-keys=1&prefix=${encodeRfc3986(prefix)}`;
  const answer = await askS3(aws, { method: 'GET', bucket, key: '', search, timeoutMs });
  if (answer.status !== 200) throw s3Refusal(answer, { bucket, key: '', action: 's3:ListBucket' });
}

async function writeInto(aws: Aws, { bucket, prefix }: BucketPart, timeoutMs: number): Promise<void> {
  const key = `${prefix}relay-doctor-${randomUUID()}`;
  const bytes = Buffer.from('relay doctor');
  const content = { byteLength: bytes.length, pieces: () => [bytes] };
  await createPutObject(aws)({ bucket, key, object: { type: 'text/plain', content }, timeoutMs });
  const answer = await askS3(aws, { method: 'DELETE', bucket, key, timeoutMs });
  if (answer.status >= 300) throw s3Refusal(answer, { bucket, key, action: 's3:DeleteObject' });
}
