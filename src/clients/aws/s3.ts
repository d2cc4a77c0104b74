import { ClientError, type ReadObject } from '../../effects.ts';
import type { NodeAnswer } from '../node_http.ts';
import type { Aws } from './account.ts';
import { sendSigned } from './send_signed.ts';

/** A config of 10,000 forms is 11 MB. */
const limitBytes = 64 * 1_048_576;

/** S3 GetObject, conditional when an ETag is known. */
export function createS3Client(aws: Aws): ReadObject {
  return async ({ bucket, key, etag, timeoutMs }) => {
    const region = await aws.account.region();
    const url = objectUrl(aws.account.endpoint('S3'), region, bucket, key);
    const headers: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
    const request = { method: 'GET', url, headers, body: '' } as const;
    const answer = await sendSigned(request, { ...aws, service: 's3', region, timeoutMs, limitBytes });
    if (answer.status === 304) return 'not_modified';
    if (answer.status !== 200) throw new ClientError(explain(answer, bucket, key));
    if (answer.isCut) throw new ClientError('the object is over 64 MB');
    return { text: answer.body.toString('utf8'), etag: answer.headers.etag };
  };
}

/** Virtual-hosted style at AWS; path style at other endpoints, and for bucket names that no certificate covers. */
function objectUrl(endpoint: URL | undefined, region: string, bucket: string, key: string): URL {
  const path = key.split('/').map(encodeRfc3986).join('/');
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  if (!endpoint && !bucket.includes('.')) return new URL(`https://${bucket}.s3.${region}.${suffix}/${path}`);
  const base = endpoint?.href.replace(/\/$/, '') ?? `https://s3.${region}.${suffix}`;
  return new URL(`${base}/${encodeRfc3986(bucket)}/${path}`);
}

const encodeRfc3986 = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** What the operator can do about it. S3 names its errors in XML. */
function explain({ status, body, headers }: NodeAnswer, bucket: string, key: string): string {
  const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(body.toString('utf8', 0, 4096))?.[1] ?? '';
  switch (code) {
    case 'NoSuchBucket':
      return `there is no bucket "${bucket}" (NoSuchBucket)`;
    case 'NoSuchKey':
      return `there is no object "${key}" in the bucket (NoSuchKey); CONFIG_KEY says which to read`;
    case 'AccessDenied':
      return 'access denied (AccessDenied): the role needs s3:GetObject; without s3:ListBucket a missing key looks the same';
    case 'PermanentRedirect':
    case 'AuthorizationHeaderMalformed':
      return `the bucket is in another region (${headers['x-amz-bucket-region'] ?? 'unknown'}); set AWS_REGION`;
    default:
      return `S3 answered ${status}${code && ` (${code})`}`;
  }
}
