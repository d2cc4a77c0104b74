import { ClientError, type ReadObject } from '../../effects.ts';
import type { NodeAnswer } from '../node_http.ts';
import { type Aws, awsAddress } from './account.ts';
import { sendSigned } from './send_signed.ts';

/** A config of 10,000 forms is 11 MB. */
const limitBytes = 64 * 1_048_576;

/** S3 GetObject, conditional when an ETag is known. */
export function createS3Client(aws: Aws): ReadObject {
  return async ({ bucket, key, etag, timeoutMs }) => {
    const headers: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
    const request = (region: string) => {
      const url = objectUrl(aws.account.endpoint('S3'), region, bucket, key);
      return { method: 'GET', url, headers, body: '' } as const;
    };
    const answer = await sendSigned(aws, { service: 's3', request, timeoutMs, limitBytes });
    if (answer.status === 304) return 'not_modified';
    if (answer.status !== 200) throw new ClientError(explain(answer, bucket, key));
    if (answer.isCut) throw new ClientError('the object is over 64 MB');
    return { text: answer.body.toString('utf8'), etag: answer.headers.etag };
  };
}

/** Virtual-hosted style at AWS; path style at other endpoints, and for names that are no label of a host. */
function objectUrl(endpoint: string | undefined, region: string, bucket: string, key: string): URL {
  const path = key.split('/').map(encodeRfc3986).join('/');
  if (!endpoint && /^[a-z0-9-]+$/.test(bucket)) {
    return new URL(`${awsAddress(`${bucket}.s3`, region)}/${path}`);
  }
  return new URL(`${endpoint ?? awsAddress('s3', region)}/${encodeRfc3986(bucket)}/${path}`);
}

const encodeRfc3986 = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** What the operator can do about it. S3 names its errors in XML. */
function explain({ status, body, headers }: NodeAnswer, bucket: string, key: string): string {
  const xml = body.toString('utf8', 0, 4096);
  const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(xml)?.[1] ?? '';
  switch (code) {
    case 'NoSuchBucket':
      return `there is no bucket "${bucket}" (NoSuchBucket)`;
    case 'NoSuchKey':
      return `there is no object "${key}" in the bucket (NoSuchKey); CONFIG_KEY says which to read`;
    case 'AccessDenied':
      return 'access denied (AccessDenied): the role needs s3:GetObject; without s3:ListBucket a missing key looks the same';
    case 'PermanentRedirect':
    case 'AuthorizationHeaderMalformed': {
      const region = headers['x-amz-bucket-region'] ?? /<Region>([a-z0-9-]{1,40})<\/Region>/.exec(xml)?.[1];
      return `the bucket is in another region (${region ?? 'unknown'}); set AWS_REGION`;
    }
    default:
      return `S3 answered ${status}${code && ` (${code})`}`;
  }
}
