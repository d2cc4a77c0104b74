import { ClientError } from '@form-relay/base/client_error';
import { ownersText } from '@form-relay/base/owners_text';
import { err, ok, type Result } from '@form-relay/base/result';
import { withRetries } from '@form-relay/base/retries';
import type { Streamed } from '@form-relay/base/streamed';
import type { Aws, BytesAnswer, ReadObject, Services } from '@form-relay/core/services';
import { s3Host } from './account.ts';
import {
  encodePath,
  encodeRfc3986,
  errorName,
  failed,
  retryOf,
  type S3Action,
  sendSigned,
  type UnsignedRequest,
  type UnusedBucket,
} from './sign.ts';

/** A config of 10,000 forms is 11 MB. */
const mostMb = 16;

/** Reads a config with S3 GetObject; conditionally if an ETag is known. */
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
  /** The object's key; empty for the bucket itself. */
  readonly key: string;
  readonly search?: string;
  /** The bucket's region. Default: the account's region. */
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

/** Virtual-hosted style for AWS; path style for other endpoints and for names that cannot be a host label. */
function objectUrl(endpoint: string | undefined, region: string, bucket: string, key: string): URL {
  // A URL would resolve dot segments, and lead to another object or even another bucket.
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
  /** The environment variable that sets the bucket's region. */
  readonly variable?: 'AWS_REGION' | 'CONFIG_BUCKET_REGION';
}

/** The failure, with a message that names the fix. */
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

/** Why a bucket cannot be used: it is an ARN, or its name is reserved by S3. */
export function whyUnused(bucket: string): UnusedBucket | undefined {
  if (bucket.startsWith('arn:')) return 'arn';
  return /--(?:xa?|op)-s3$/.test(bucket) ? 'reserved' : undefined;
}

/**
 * Puts an object into a bucket, once: an existing object under the key, left by an earlier attempt, counts as
 * success. Rejects with a `ClientError` that names the remedy.
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
    // The object already exists: 412, or 304 from some servers.
    if ((status >= 200 && status < 300) || status === 412 || status === 304) return;
    const name = errorName(answer);
    // Another write is in progress (409), or the connection was too slow. Both are temporary.
    if (status === 409 || name === 'RequestTimeout') {
      throw failed('s3_status', { status, name }, { retryAfterMs: 0 });
    }
    throw s3Refusal(answer, { bucket, key, action: 's3:PutObject' });
  };
}

/** Reads a bucket. Throws a `ClientError` for a failure that affects all objects. */
export interface BucketReader {
  /** Yields the keys with `prefix` that follow `after`, in order, in pages of up to 1,000. */
  list(prefix: string, after: string): AsyncIterable<Listing>;
  /** An object's bytes, or the reason why they cannot be read, in words. */
  read(key: string, mostBytes: number): Promise<Result<Buffer, string>>;
  /** Deletes an object; a missing object counts as deleted. */
  remove(key: string): Promise<void>;
}

/** Parses `s3://bucket/rest`; `undefined` for anything else. */
export function readBucketUrl(url: string): { readonly bucket: string; readonly rest: string } | undefined {
  const [, bucket, rest = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(url) ?? [];
  return bucket === undefined ? undefined : { bucket, rest };
}

/** The limits of one request; `timeoutMs` covers all its retries. */
const retries = { retries: 4, timeoutMs: 60_000, firstWaitMs: 200 };
/** A page names at most 1,000 keys of 1,024 bytes, which may all be escaped. */
const mostPageBytes = 16 * 1_048_576;

/**
 * Uses S3's ListObjects and GetObject. All S3 implementations support version 1 of the list, whose pages
 * continue after a key; version 2 uses tokens.
 */
export function createBucketReader(aws: Aws, waiting: Waiting, bucket: string): BucketReader {
  const retried = <T>(ask: (timeoutMs: number) => Promise<T>) =>
    withRetries(ask, retries, { now: aws.now, ...waiting });
  const get = (key: string, query: Readonly<Record<string, string>>, limitBytes: number) => {
    const pairs = Object.entries(query).map((pair) => pair.map(encodeRfc3986).join('='));
    const ask = async (timeoutMs: number) => {
      const search = pairs.join('&');
      const answer = await askS3(aws, { method: 'GET', bucket, key, search, timeoutMs, limitBytes });
      if (answer.status === 200 || Object.hasOwn(single, errorName(answer))) return answer;
      const action = key === '' ? 's3:ListBucket' : 's3:GetObject';
      throw s3Refusal(answer, { bucket, key, action });
    };
    return retried(ask);
  };
  return {
    async *list(prefix, after) {
      let marker: string | undefined = after;
      while (marker !== undefined) {
        const { body } = await get('', { prefix, marker, 'encoding-type': 'url' }, mostPageBytes);
        const { keys, isLast } = parseListing(body.toString());
        yield { keys, isLast };
        const last = keys.at(-1);
        // An incomplete list must not be taken for a complete one.
        if (last === undefined && !isLast) throw new ClientError('the bucket did not list all its objects');
        marker = isLast ? undefined : last;
      }
    },
    async read(key, mostBytes) {
      const answer = await get(key, {}, mostBytes);
      if (answer.isCut) return err('is too large');
      return answer.status === 200 ? ok(answer.body) : err(single[errorName(answer)] ?? 'is gone');
    },
    remove(key) {
      const ask = async (timeoutMs: number) => {
        const answer = await askS3(aws, { method: 'DELETE', bucket, key, timeoutMs });
        if (answer.status < 300 || errorName(answer) === 'NoSuchKey') return;
        throw s3Refusal(answer, { bucket, key, action: 's3:DeleteObject' });
      };
      return retried(ask);
    },
  };
}

/** S3's errors that concern only one object. */
const single: Readonly<Record<string, string>> = {
  NoSuchKey: 'is gone',
  InvalidObjectState: 'is in cold storage, such as Glacier; restore it first',
};

interface Listing {
  readonly keys: readonly string[];
  readonly isLast: boolean;
}

export function parseListing(xml: string): Listing {
  // Keys may contain characters that XML cannot. Not all servers encode them as requested.
  const isEncoded = textIn(xml, 'EncodingType') === 'url';
  const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, text = '']) => unescaped(text));
  return {
    keys: isEncoded ? keys.map(decoded) : keys,
    isLast: textIn(xml, 'IsTruncated') !== 'true',
  };
}

function textIn(xml: string, element: string): string | undefined {
  const text = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
  return text === undefined ? undefined : unescaped(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescaped = (text: string) =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,4}));/gi, (all, decimal, hexadecimal, name) => {
    if (name !== undefined) return entities[name] ?? all;
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    return code > 0x10ffff ? all : String.fromCodePoint(code);
  });
