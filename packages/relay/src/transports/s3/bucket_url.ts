/**
 * `s3://bucket/prefix`, where the bucket may be the ARN of an access point, in which a slash stands. `undefined`: it is none.
 */
export function readBucketUrl(url: string): { readonly bucket: string; readonly rest: string } | undefined {
  const [, bucket, rest = ''] = /^s3:\/\/(arn:[^/]*:accesspoint\/[^/]+|[^/]+)(?:\/(.*))?$/.exec(url) ?? [];
  return bucket === undefined ? undefined : { bucket, rest };
}
