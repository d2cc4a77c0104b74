import { createHash, createHmac } from 'node:crypto';
import { failures, inBrackets, type Retry } from '@form-relay/base/client_error';
import type { Streamed } from '@form-relay/base/streamed';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Aws, AwsCredentials, BytesAnswer, HttpRequest } from '@form-relay/core/services';
import { connectionWords, mailWords } from '../failures.ts';

/** The URL's path must be encoded as it is sent; header names must be in lower case. */
export interface UnsignedRequest extends Omit<HttpRequest, 'method' | 'timeoutMs'> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The content's hash in hexadecimal. Default: computed here. */
  readonly sha256?: string | undefined;
}

type AwsService = 's3' | 'ses' | 'sqs' | 'dynamodb';

export interface SigningScope {
  readonly region: string;
  readonly service: AwsService;
  readonly credentials: AwsCredentials;
  readonly now: number;
}

/** The request's headers, signed with AWS Signature Version 4 (AWS General Reference: "Signing AWS API requests"). */
export function signedHeaders(
  request: UnsignedRequest,
  scope: SigningScope,
): Readonly<Record<string, string>> {
  const { region, service, credentials } = scope;
  const time = new Date(scope.now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const bodyHash = request.sha256 ?? hashOf(request.streamed ?? request.body);
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.url.host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
    ...(credentials.sessionToken && { 'x-amz-security-token': credentials.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const canonicalRequest = [
    request.method,
    // S3 signs the path as sent; other services encode it again.
    scope.service === 's3' ? request.url.pathname : encodePath(request.url.pathname),
    canonicalQuery(request.url),
    ...names.map((name) => `${name}:${headers[name]?.trim().replaceAll(/ +/g, ' ')}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n');
  const credentialScope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, credentialScope, hashOf(canonicalRequest)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${credentials.secretAccessKey}`,
  );
  const authorization =
    `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${credentialScope}, ` +
    `SignedHeaders=${names.join(';')}, Signature=${hmac(key, toSign).toString('hex')}`;
  return { ...headers, authorization };
}

export const encodePath = (path: string) => path.split('/').map(encodeRfc3986).join('/');

export const encodeRfc3986 = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const canonicalQuery = ({ searchParams }: URL): string =>
  [...new Map(searchParams)]
    .map(([name, value]) => [encodeRfc3986(name), encodeRfc3986(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');

export function hashOf(content: string | Streamed): string {
  const hash = createHash('sha256');
  for (const piece of typeof content === 'string' ? [content] : content.pieces()) hash.update(piece);
  return hash.digest('hex');
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

interface Sending {
  readonly service: AwsService;
  /** Default: the account's region. */
  readonly region?: string | undefined;
  readonly request: (region: string) => UnsignedRequest;
  /** Includes the time for finding credentials. */
  readonly timeoutMs: number;
  /** Default: large enough for errors. */
  readonly limitBytes?: number | undefined;
}

export async function sendSigned({ account, http, now }: Aws, sending: Sending): Promise<BytesAnswer> {
  const { service, timeoutMs, limitBytes = 65_536 } = sending;
  const deadline = now() + timeoutMs;
  const late = () => {
    throw failed('timed_out', { timeoutMs });
  };
  const known = Promise.all([account.region(sending.region), account.credentials()]);
  const [region, credentials] = await withTimeout(timeoutMs, known, late);
  const leftMs = deadline - now();
  if (leftMs <= 0) late();
  const request = sending.request(region);
  const scope = { region, service, credentials, now: now() };
  // HTTP clients write the host header themselves.
  const { host: _, ...headers } = signedHeaders(request, scope);
  const answer = await http({ ...request, headers, timeoutMs: leftMs, limitBytes });
  const { status, isEarly } = answer;
  if (isEarly && status < 300) throw failed('answered_early', { status });
  return answer;
}

/**
 * Whether a retry may help after an unsuccessful response. AWS throttles by the second: an SES account in the
 * sandbox may send one mail a second.
 */
export function retryOf(answer: BytesAnswer): Retry {
  if (isThrottled(answer)) return { retryAfterMs: 1_000 };
  return answer.status >= 500 ? { retryAfterMs: 0 } : {};
}

/** AWS throttles with status 429 or, in older APIs, with 400. */
const isThrottled = (answer: BytesAnswer) =>
  answer.status === 429 || (answer.status === 400 && /^(Request)?Throttl/i.test(errorName(answer)));

/**
 * AWS's name for an error, from a header, JSON, or XML (S3). Empty if there is none. The accompanying message
 * is ignored, because it may contain a visitor's address.
 */
export function errorName({ headers, body }: BytesAnswer): string {
  const inBody = /"__type"\s*:\s*"([^"]*)"|<Code>([^<]*)<\/Code>/;
  const [, json, xml] = inBody.exec(body.toString('utf8', 0, 65_536)) ?? [];
  const stated = headers['x-amzn-errortype'] ?? json ?? xml ?? '';
  // `com.amazonaws.sesv2#MessageRejected`, `MessageRejected:http://…`
  return /^(?:[\w.]+#)?([A-Za-z]{1,60})(?::|$)/.exec(stated)?.[1] ?? '';
}

/** The actions on buckets that the relay uses, by their IAM names, and what else may cause a denial. */
const alsoDenied = {
  's3:GetObject': 'without s3:ListBucket a missing key looks the same, and ',
  's3:PutObject': 'a bucket that requires another encryption looks the same, and ',
  's3:DeleteObject': 'objects that are locked look the same, and ',
  's3:ListBucket': '',
};

export type S3Action = keyof typeof alsoDenied;

/** Texts that cannot be used as a bucket. */
const unusedBuckets = {
  arn: 'ARNs are not supported; use the name of the bucket, or the alias of the access point',
  reserved: 'the relay does not support directory buckets (S3 Express One Zone) or S3 on Outposts',
};

export type UnusedBucket = keyof typeof unusedBuckets;

/** The message for a status of a service. `name`: AWS's name for the error, such as `MessageRejected`; empty if there is none. */
export const awsStatus =
  (service: string) =>
  ({ status, name }: { status: number; name: string }) =>
    `${service} answered ${status}${inBrackets(name)}`;

export const awsWords = {
  timed_out: connectionWords.timed_out,
  answered_early: connectionWords.answered_early,
  message_too_large: mailWords.message_too_large,
  aws_without_credentials:
    'no AWS credentials found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or assign a role to the machine',
  aws_profile_without_credentials: ({ profile }: { profile: string }) =>
    `the AWS profile "${profile}" has no credentials; if it uses SSO, run "aws sso login"`,
  aws_credentials_late: ({ timeoutMs }: { timeoutMs: number }) =>
    `the source of the AWS credentials did not respond within ${timeoutMs} ms; the relay will retry`,
  aws_fips:
    'use_fips_endpoint is not supported; remove it from the profile, and set AWS_ENDPOINT_URL_S3 and similar variables to FIPS endpoints',
  aws_without_region: 'no AWS region: set AWS_REGION',
  aws_region_malformed: ({ region }: { region: string }) => `"${region}" is not an AWS region`,
  aws_endpoint_malformed: ({ service }: { service: string }) =>
    `AWS_ENDPOINT_URL_${service} or AWS_ENDPOINT_URL is not the URL of a service, such as https://minio.example.com:9000`,
  ses_status: awsStatus('SES'),
  ses_too_many_recipients: ({ most, found }: { most: number; found: number }) =>
    `SES accepts at most ${most} recipients; \`to\` has ${found}`,
  s3_status: awsStatus('S3'),
  s3_no_bucket: ({ bucket }: { bucket: string }) => `there is no bucket "${bucket}" (NoSuchBucket)`,
  s3_no_object: ({ key }: { key: string }) =>
    `there is no object "${key}" in the bucket (NoSuchKey); correct CONFIG_KEY`,
  s3_access_denied: ({ action }: { action: S3Action }) =>
    `access denied (AccessDenied): the role needs ${action}; ${alsoDenied[action]}so do expired credentials`,
  s3_access_key_unknown: 'S3 does not recognize the access key (InvalidAccessKeyId); check AWS_ACCESS_KEY_ID',
  s3_secret_key_wrong:
    'the secret key does not belong to the access key (SignatureDoesNotMatch); check AWS_SECRET_ACCESS_KEY',
  s3_clock_wrong: "this machine's clock is wrong by more than 15 minutes (RequestTimeTooSkewed)",
  s3_credentials_expired: 'the credentials have expired (ExpiredToken)',
  s3_other_region: ({ region, variable }: { region: string; variable: string }) =>
    `the bucket is in another region; set ${variable}${region && `=${region}`}`,
  s3_object_too_large: ({ mostMb }: { mostMb: number }) => `the object is over ${mostMb} MB`,
  s3_object_compressed:
    'the object has the Content-Encoding gzip; store it uncompressed and without this header',
  s3_object_not_text: ({ reason }: { reason: string }) => reason,
  s3_key_unspeakable: ({ key }: { key: string }) =>
    `CONFIG_KEY is "${key}": a URL cannot have "." or ".." between slashes`,
  s3_bucket_unused: ({ bucket, why }: { bucket: string; why: UnusedBucket }) =>
    `${bucket} cannot be used as a bucket: ${unusedBuckets[why]}`,
};

export const failed = failures(awsWords);
