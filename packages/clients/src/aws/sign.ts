import { createHash, createHmac } from 'node:crypto';
import type { Retry } from '@form-relay/base/client_error';
import type { Streamed } from '@form-relay/base/streamed';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Aws, AwsCredentials, BytesAnswer, HttpRequest } from '@form-relay/core/services';
import { failed } from './failures.ts';

/** The URL's path is encoded as it goes over the wire; headers have names in lower case. */
export interface UnsignedRequest extends Omit<HttpRequest, 'method' | 'timeoutMs'> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The hash of the content in hexadecimal. Default: it is calculated. */
  readonly sha256?: string | undefined;
}

type AwsService = 's3' | 'ses' | 'sqs' | 'dynamodb';

export interface SigningScope {
  readonly region: string;
  readonly service: AwsService;
  readonly credentials: AwsCredentials;
  readonly now: number;
}

/** The request's headers with an AWS Signature Version 4 (AWS General Reference: "Signing AWS API requests"). */
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
    // S3 signs the path as it is sent; other services encode it once more.
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
  /** Default: the account's. */
  readonly region?: string | undefined;
  readonly request: (region: string) => UnsignedRequest;
  /** Includes the time to find the credentials. */
  readonly timeoutMs: number;
  /** Default: enough for errors. */
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
  // Clients write the host themselves.
  const { host: _, ...headers } = signedHeaders(request, scope);
  const answer = await http({ ...request, headers, timeoutMs: leftMs, limitBytes });
  const { status, isEarly } = answer;
  if (isEarly && status < 300) throw failed('answered_early', { status });
  return answer;
}

/**
 * Whether another try may help after an answer that is no success. AWS throttles by the second: an SES account in the
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
 * AWS's name for an error, from a header, from JSON or (S3) from XML. Empty without one. The message next to the name
 * may hold a visitor's address and is left out.
 */
export function errorName({ headers, body }: BytesAnswer): string {
  const inBody = /"__type"\s*:\s*"([^"]*)"|<Code>([^<]*)<\/Code>/;
  const [, json, xml] = inBody.exec(body.toString('utf8', 0, 65_536)) ?? [];
  const stated = headers['x-amzn-errortype'] ?? json ?? xml ?? '';
  // `com.amazonaws.sesv2#MessageRejected`, `MessageRejected:http://…`
  return /^(?:[\w.]+#)?([A-Za-z]{1,60})(?::|$)/.exec(stated)?.[1] ?? '';
}
