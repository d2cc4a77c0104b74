import { ClientError } from '@form-relay/base/client_error';
import { err, ok, type Result } from '@form-relay/base/result';
import { withRetries } from '@form-relay/base/retries';
import type { Aws } from '@form-relay/core/services';
import { askS3, s3Refusal, type Waiting } from './s3_request.ts';
import { encodeRfc3986, errorName } from './sign.ts';

/** Reads a bucket. Throws a `ClientError` for a failure that affects all objects. */
export interface BucketReader {
  /** Yields the keys with `prefix` that follow `after`, in order, in pages of up to 1,000. */
  list(prefix: string, after: string): AsyncIterable<Listing>;
  /** An object's bytes, or the reason, in words, why they cannot be had. */
  read(key: string, mostBytes: number): Promise<Result<Buffer, string>>;
  /** Deletes an object; one that is gone counts as deleted. */
  remove(key: string): Promise<void>;
}

/** `s3://bucket/rest`; `undefined` for anything else. */
export function readBucketUrl(url: string): { readonly bucket: string; readonly rest: string } | undefined {
  const [, bucket, rest = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(url) ?? [];
  return bucket === undefined ? undefined : { bucket, rest };
}

/** `timeoutMs`: for all tries of one request. */
const retries = { retries: 4, timeoutMs: 60_000, firstWaitMs: 200 };
/** A page names 1,000 keys of 1,024 bytes at most, each of which may be escaped. */
const mostPageBytes = 16 * 1_048_576;

/**
 * S3's ListObjects and GetObject. All implementations of S3 know version 1 of the list, whose pages continue after a
 * key; version 2 uses tokens.
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
        // An incomplete list must not pass for a complete one.
        if (last === undefined && !isLast)
          throw new ClientError('the bucket does not list all that it holds');
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

/** S3's errors that concern a single object. */
const single: Readonly<Record<string, string>> = {
  NoSuchKey: 'is gone',
  InvalidObjectState: 'is in cold storage, such as Glacier; restore it first',
};

export interface Listing {
  readonly keys: readonly string[];
  readonly isLast: boolean;
}

export function parseListing(xml: string): Listing {
  // Keys may hold characters that XML cannot. Not all servers encode them as requested.
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
