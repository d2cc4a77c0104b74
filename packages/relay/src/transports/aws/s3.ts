import { type ClientError, failed, type S3Action } from '../../base/client_error.ts';
import type { Effects, ReadObject } from '../../base/effects.ts';
import { withRetries } from '../../base/retries.ts';
import type { NodeAnswer } from '../http/node_client.ts';
import { type Aws, ownAddress } from './account.ts';
import { type AwsPlace, s3Host } from './endpoint.ts';
import { errorName } from './error_name.ts';
import { retryOf, sendSigned } from './send_signed.ts';
import { encodePath, encodeRfc3986, type UnsignedRequest } from './sign.ts';
import { unusualBucket } from './unusual_bucket.ts';

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
      return { text: answer.body.toString('utf8'), etag: answer.headers.etag };
    };
    return withRetries(read, { retries: 2, timeoutMs, firstWaitMs: 200 }, { now: aws.now, ...waiting });
  };
}

/** For the time between two tries. */
export type Waiting = Pick<Effects, 'sleep' | 'random'>;

interface Asked extends Partial<Omit<UnsignedRequest, 'url' | 'method'>> {
  readonly method: UnsignedRequest['method'];
  /** A name, or the ARN of an access point. */
  readonly bucket: string;
  /** Empty: the bucket itself. */
  readonly key: string;
  readonly search?: string;
  /** Where the bucket is. Default: the account's. */
  readonly region?: string | undefined;
  readonly timeoutMs: number;
  /** Default: what S3 says of an error. */
  readonly limitBytes?: number;
}

/** Asks S3 for something of a bucket or of an object, once. */
export async function askS3(aws: Aws, asked: Asked): Promise<NodeAnswer> {
  const { bucket, key, search = '', region, timeoutMs, limitBytes = 65_536, ...given } = asked;
  const request = (place: AwsPlace): UnsignedRequest => {
    const url = objectUrl(ownAddress(aws.account, 'S3', place), place, bucket, key);
    url.search = search;
    return { headers: {}, body: '', ...given, url };
  };
  // An access point says where it is.
  const own = isUnusual(bucket) ? unusualBucket(bucket).region : region;
  return sendSigned(aws, { service: 's3', region: own, request, timeoutMs, limitBytes });
}

/** What is no plain name: an ARN, or a name that ends as those do that S3 gives to other things than buckets. */
const isUnusual = (bucket: string) => /^arn:|--(?:xa?|op)-s3$/.test(bucket);

/** Virtual-hosted style at AWS; path style at other endpoints, and for names that are no label of a host. */
function objectUrl(endpoint: string | undefined, place: AwsPlace, bucket: string, key: string): URL {
  // A URL resolves them: it would be another object, even of another bucket.
  if (/(^|\/)\.\.?(\/|$)/.test(key)) {
    throw failed('s3_key_unspeakable', { key });
  }
  const path = encodePath(key);
  if (isUnusual(bucket)) return new URL(`${unusualBucket(bucket, endpoint).originIn(place)}/${path}`);
  if (/^\.\.?$/.test(bucket)) throw failed('s3_no_bucket', { bucket });
  if (!endpoint && /^(?!xn--)[a-z0-9-]+$/.test(bucket)) {
    return new URL(`https://${bucket}.${s3Host('s3', place)}/${path}`);
  }
  return new URL(`${endpoint ?? `https://${s3Host('s3', place)}`}/${encodeRfc3986(bucket)}/${path}`);
}

interface Refused {
  readonly bucket: string;
  readonly key: string;
  readonly action: S3Action;
  /** What says where the bucket is. */
  readonly variable?: 'AWS_REGION' | 'CONFIG_BUCKET_REGION';
}

/** What the owner can do about it. */
export function s3Refusal(
  answer: NodeAnswer,
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
