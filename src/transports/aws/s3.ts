import { ClientError, type Effects, type ReadObject } from '../../effects.ts';
import { withRetries } from '../../retries.ts';
import type { NodeAnswer } from '../http/node_client.ts';
import { type Aws, awsAddress } from './account.ts';
import { errorName } from './error_name.ts';
import { remedyOf, sendSigned } from './send_signed.ts';
import { encodePath, encodeRfc3986 } from './sign.ts';

/** A config of 10,000 forms is 11 MB. */
const limitBytes = 64 * 1_048_576;

/** S3 GetObject, conditional when an ETag is known. */
export function createS3Client(aws: Aws, waiting: Waiting): ReadObject {
  return async ({ bucket, key, etag, timeoutMs }) => {
    const headers: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
    const request = (region: string) => {
      const url = objectUrl(aws.account.endpoint('S3'), region, bucket, key);
      return { method: 'GET', url, headers, body: '' } as const;
    };
    const read = async (timeoutMs: number) => {
      const answer = await sendSigned(aws, { service: 's3', request, timeoutMs, limitBytes });
      if (answer.status === 304) return 'not_modified';
      if (answer.status !== 200) throw new ClientError(explain(answer, bucket, key), remedyOf(answer));
      if (answer.isCut) throw new ClientError('the object is over 64 MB');
      return { text: answer.body.toString('utf8'), etag: answer.headers.etag };
    };
    return withRetries(read, { retries: 2, timeoutMs, firstWaitMs: 200 }, { now: aws.now, ...waiting });
  };
}

/** For the time between two tries. */
export type Waiting = Pick<Effects, 'sleep' | 'random'>;

/** Virtual-hosted style at AWS; path style at other endpoints, and for names that are no label of a host. */
function objectUrl(endpoint: string | undefined, region: string, bucket: string, key: string): URL {
  // A URL resolves them: it would be another object, even of another bucket.
  if (/(^|\/)\.\.?(\/|$)/.test(key)) {
    throw new ClientError(`CONFIG_KEY is "${key}": a URL cannot say "." or ".." between slashes`);
  }
  const path = encodePath(key);
  if (!endpoint && /^[a-z0-9-]+$/.test(bucket)) {
    return new URL(`${awsAddress(`${bucket}.s3`, region)}/${path}`);
  }
  return new URL(`${endpoint ?? awsAddress('s3', region)}/${encodeRfc3986(bucket)}/${path}`);
}

/** What the operator can do about it. */
function explain(answer: NodeAnswer, bucket: string, key: string): string {
  const name = errorName(answer);
  switch (name) {
    case 'NoSuchBucket':
      return `there is no bucket "${bucket}" (NoSuchBucket)`;
    case 'NoSuchKey':
      return `there is no object "${key}" in the bucket (NoSuchKey); CONFIG_KEY says which to read`;
    case 'AccessDenied':
      return 'access denied (AccessDenied): the role needs s3:GetObject; without s3:ListBucket a missing key looks the same, and so may credentials that have expired';
    case 'InvalidAccessKeyId':
      return 'S3 does not know the access key (InvalidAccessKeyId); check AWS_ACCESS_KEY_ID';
    case 'SignatureDoesNotMatch':
      return 'the secret key does not belong to the access key (SignatureDoesNotMatch); check AWS_SECRET_ACCESS_KEY';
    case 'RequestTimeTooSkewed':
      return "this machine's clock is wrong by more than 15 minutes (RequestTimeTooSkewed)";
    case 'ExpiredToken':
      return 'the credentials have expired (ExpiredToken)';
    case 'PermanentRedirect':
    case 'AuthorizationHeaderMalformed': {
      const xml = answer.body.toString('utf8', 0, 4_096);
      const region =
        answer.headers['x-amz-bucket-region'] ?? /<Region>([a-z0-9-]{1,40})<\/Region>/.exec(xml)?.[1];
      return `the bucket is in another region (${region ?? 'unknown'}); set AWS_REGION`;
    }
    default:
      return `S3 answered ${answer.status}${name && ` (${name})`}`;
  }
}
