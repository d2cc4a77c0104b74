import { failed, type UnusedBucket } from '../../base/client_error.ts';
import { type AwsPlace, partitionOf, s3Host } from './endpoint.ts';

/** What stands where a bucket's name may stand. */
export interface UnusualBucket {
  readonly region: string;
  /** Such as `https://point-111122223333.s3-accesspoint.eu-central-1.amazonaws.com`. */
  originIn(place: AwsPlace): string;
}

/**
 * The ARN of an access point, in S3 itself. Everything else is refused with a `ClientError`: multi-region access points want
 * another signature (SigV4A), directory buckets a session of their own, and buckets have names that say it all.
 *
 * @param endpoint An address that the environment gives in place of S3's own.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-points-naming.html
 */
export function unusualBucket(bucket: string, endpoint?: string): UnusualBucket {
  const why = whyUnused(bucket);
  if (why !== undefined) throw failed('s3_bucket_unused', { bucket, why });
  if (endpoint !== undefined) throw failed('s3_access_point_elsewhere', { bucket });
  const [, , , region = '', account = '', , name = ''] = bucket.split(/[:/]/);
  return { region, originIn: (place) => `https://${name}-${account}.${s3Host('s3-accesspoint', place)}` };
}

/** `undefined` for an access point, and for every name. */
export function whyUnused(bucket: string): UnusedBucket['why'] | undefined {
  if (/--xa?-s3$/.test(bucket)) return 'directory';
  if (/--op-s3$/.test(bucket)) return 'outposts';
  if (!bucket.startsWith('arn:')) return undefined;
  const [, partition = '', service, region = '', account] = bucket.split(':');
  if (service === 's3-outposts') return 'outposts';
  if (service === 's3-object-lambda') return 'object_lambda';
  if (service === 's3express') return 'directory';
  if (region === '') return account === '' ? 'bucket' : 'multi_region';
  const isPoint = /^arn:[a-z-]+:s3:[a-z\d-]+:\d{12}:accesspoint[:/][a-z\d][a-z\d-]{0,48}[a-z\d]$/.test(
    bucket,
  );
  return isPoint && partitionOf(region)[0] === partition ? undefined : 'other';
}
