import { type ClientError, failed, type S3Action } from '../../client_error.ts';
import type { Effects, ReadObject } from '../../effects.ts';
import { withRetries } from '../../retries.ts';
import type { NodeAnswer } from '../http/node_client.ts';
import { type Aws, awsAddress } from './account.ts';
import { errorName } from './error_name.ts';
import { retryOf, sendSigned } from './send_signed.ts';
import { encodePath, encodeRfc3986 } from './sign.ts';

/** A config of 10,000 forms is 11 MB. */
const mostMb = 16;

/** S3 GetObject, conditional when an ETag is known. */
export function createS3Client(aws: Aws, waiting: Waiting): ReadObject {
  return async ({ bucket, key, etag, timeoutMs }) => {
    const headers: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
    const request = (region: string) => {
      const url = objectUrl(aws.account.endpoint('S3'), region, bucket, key);
      return { method: 'GET', url, headers, body: '' } as const;
    };
    const read = async (timeoutMs: number) => {
      const answer = await sendSigned(aws, {
        service: 's3',
        request,
        timeoutMs,
        limitBytes: mostMb * 1_048_576,
      });
      if (answer.status === 304) return 'not_modified';
      if (answer.status !== 200) throw s3Refusal(answer, { bucket, key, action: 's3:GetObject' });
      if (answer.isCut) throw failed('s3_object_too_large', { mostMb });
      return { text: answer.body.toString('utf8'), etag: answer.headers.etag };
    };
    return withRetries(read, { retries: 2, timeoutMs, firstWaitMs: 200 }, { now: aws.now, ...waiting });
  };
}

/** For the time between two tries. */
export type Waiting = Pick<Effects, 'sleep' | 'random'>;

/** Virtual-hosted style at AWS; path style at other endpoints, and for names that are no label of a host. */
export function objectUrl(endpoint: string | undefined, region: string, bucket: string, key: string): URL {
  // A URL resolves them: it would be another object, even of another bucket.
  if (/(^|\/)\.\.?(\/|$)/.test(key)) {
    throw failed('s3_key_unspeakable', { key });
  }
  const path = encodePath(key);
  if (!endpoint && /^[a-z0-9-]+$/.test(bucket)) {
    return new URL(`${awsAddress(`${bucket}.s3`, region)}/${path}`);
  }
  return new URL(`${endpoint ?? awsAddress('s3', region)}/${encodeRfc3986(bucket)}/${path}`);
}

interface Refused {
  readonly bucket: string;
  readonly key: string;
  readonly action: S3Action;
}

/** What the owner can do about it. */
export function s3Refusal(answer: NodeAnswer, { bucket, key, action }: Refused): ClientError {
  const name = errorName(answer);
  switch (name) {
    case 'NoSuchBucket':
      return failed('s3_no_bucket', { bucket });
    case 'NoSuchKey':
      return failed('s3_no_object', { key });
    case 'AccessDenied':
      return failed('s3_access_denied', { action });
    case 'InvalidAccessKeyId':
      return failed('s3_access_key_unknown');
    case 'SignatureDoesNotMatch':
      return failed('s3_secret_key_wrong');
    case 'RequestTimeTooSkewed':
      return failed('s3_clock_wrong');
    case 'ExpiredToken':
      return failed('s3_credentials_expired');
    case 'PermanentRedirect':
    case 'AuthorizationHeaderMalformed': {
      const xml = answer.body.toString('utf8', 0, 4_096);
      const region =
        answer.headers['x-amz-bucket-region'] ?? /<Region>([a-z0-9-]{1,40})<\/Region>/.exec(xml)?.[1];
      return failed('s3_other_region', { region: region ?? 'unknown' });
    }
    default:
      return failed('s3_status', { status: answer.status, name }, retryOf(answer));
  }
}
