import type { ClientError } from '@form-relay/base/client_error';
import { ownersText } from '@form-relay/base/owners_text';
import { withRetries } from '@form-relay/base/retries';
import type { Streamed } from '@form-relay/base/streamed';
import type { Aws, BytesAnswer, ReadObject, Services } from '@form-relay/core/services';
import { s3Host } from './account.ts';
import { failed, type S3Action, type UnusedBucket } from './failures.ts';
import { encodePath, encodeRfc3986, errorName, retryOf, sendSigned, type UnsignedRequest } from './sign.ts';

/** A config of 10,000 forms is 11 MB. */
const mostMb = 16;

/** S3 GetObject of a config, conditional when an ETag is known. */
export function createS3Client(aws: Aws, waiting: Waiting): ReadObject {
  return async ({ bucket, key, region, etag, timeoutMs }) => {
    const headers: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
    const read = async (timeoutMs: number) => {
      const limitBytes = mostMb * 1_048_576;
      const answer = await askS3(aws, { method: 'GET', bucket, key, region, headers, timeoutMs, limitBytes });
      if (answer.status === 304) return 'not_modified';
      if (answer.status !== 200) {
        const variable = 'CONFIG_BUCKET_REGION';
        throw s3Refusal(answer, { bucket, key, action: 's3:GetObject', variable });
      }
      if (answer.isCut) throw failed('s3_object_too_large', { mostMb });
      const text = ownersText(answer.body);
      if (!text.ok && answer.headers['content-encoding'] === 'gzip') throw failed('s3_object_compressed');
      if (!text.ok) throw failed('s3_object_not_text', { reason: text.error });
      return { text: text.value, etag: answer.headers.etag };
    };
    return withRetries(read, { retries: 2, timeoutMs, firstWaitMs: 200 }, { now: aws.now, ...waiting });
  };
}

export type Waiting = Pick<Services, 'sleep' | 'random'>;

interface S3Request extends Partial<Omit<UnsignedRequest, 'url' | 'method'>> {
  readonly method: UnsignedRequest['method'];
  readonly bucket: string;
  /** Empty: the bucket itself. */
  readonly key: string;
  readonly search?: string;
  /** The bucket's region. Default: the account's. */
  readonly region?: string | undefined;
  readonly timeoutMs: number;
  readonly limitBytes?: number;
}

export async function askS3(aws: Aws, options: S3Request): Promise<BytesAnswer> {
  const { bucket, key, search = '', region, timeoutMs, limitBytes, ...given } = options;
  const request = (region: string): UnsignedRequest => {
    const url = objectUrl(aws.account.endpoint('S3'), region, bucket, key);
    url.search = search;
    return { headers: {}, body: '', ...given, url };
  };
  return sendSigned(aws, { service: 's3', region, request, timeoutMs, limitBytes });
}

/** Virtual-hosted style at AWS; path style at other endpoints, and for names that are no label of a host. */
function objectUrl(endpoint: string | undefined, region: string, bucket: string, key: string): URL {
  // A URL resolves dots: they would lead to another object, even of another bucket.
  if (/(^|\/)\.\.?(\/|$)/.test(key)) throw failed('s3_key_unspeakable', { key });
  const path = encodePath(key);
  const why = whyUnused(bucket);
  if (why !== undefined) throw failed('s3_bucket_unused', { bucket, why });
  if (/^\.\.?$/.test(bucket)) throw failed('s3_no_bucket', { bucket });
  if (!endpoint && /^(?!xn--)[a-z0-9-]+$/.test(bucket)) {
    return new URL(`https://${bucket}.${s3Host(region)}/${path}`);
  }
  return new URL(`${endpoint ?? `https://${s3Host(region)}`}/${encodeRfc3986(bucket)}/${path}`);
}

interface Refused {
  readonly bucket: string;
  readonly key: string;
  readonly action: S3Action;
  /** The variable that sets the bucket's region. */
  readonly variable?: 'AWS_REGION' | 'CONFIG_BUCKET_REGION';
}

/** The failure that names the fix for the owner. */
export function s3Refusal(
  answer: BytesAnswer,
  { bucket, key, action, variable = 'AWS_REGION' }: Refused,
): ClientError {
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
      const said = answer.headers['x-amz-bucket-region'] ?? /<Region>([^<]*)<\/Region>/.exec(xml)?.[1] ?? '';
      return failed('s3_other_region', { region: /^[a-z0-9-]{1,40}$/.test(said) ? said : '', variable });
    }
    default:
      return failed('s3_status', { status: answer.status, name }, retryOf(answer));
  }
}

/** Why a bucket cannot be used: an ARN, or a name that S3 reserves for other things than buckets. */
export function whyUnused(bucket: string): UnusedBucket | undefined {
  if (bucket.startsWith('arn:')) return 'arn';
  return /--(?:xa?|op)-s3$/.test(bucket) ? 'reserved' : undefined;
}

/**
 * Puts an object into a bucket, once: an existing object under this key, left by an earlier try, counts as put. Rejects
 * with a `ClientError` that says what to do.
 */
export type PutObject = (put: {
  readonly bucket: string;
  readonly key: string;
  readonly object: {
    /** The media type. */
    readonly type: string;
    readonly content: Streamed;
    /** The hexadecimal digest of the content, if already known. */
    readonly sha256?: string | undefined;
  };
  readonly timeoutMs: number;
}) => Promise<void>;

export function createPutObject(aws: Aws): PutObject {
  return async ({ bucket, key, object, timeoutMs }) => {
    const { type, content: streamed, sha256 } = object;
    const headers = { 'content-type': type, 'if-none-match': '*' };
    const answer = await askS3(aws, { method: 'PUT', bucket, key, headers, streamed, sha256, timeoutMs });
    const { status } = answer;
    // The object is there already: 412, or 304 from some servers.
    if ((status >= 200 && status < 300) || status === 412 || status === 304) return;
    const name = errorName(answer);
    // Another write is under way (409), or the connection was too slow: both pass.
    if (status === 409 || name === 'RequestTimeout') {
      throw failed('s3_status', { status, name }, { retryAfterMs: 0 });
    }
    throw s3Refusal(answer, { bucket, key, action: 's3:PutObject' });
  };
}
