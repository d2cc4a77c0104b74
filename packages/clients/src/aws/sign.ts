import { createHash, createHmac } from 'node:crypto';
import type { Streamed } from '@form-relay/base/streamed';
import type { AwsCredentials, HttpRequest } from '@form-relay/core/services';

/** The URL's path is encoded as it goes over the wire; headers have names in lower case. */
export interface UnsignedRequest extends Omit<HttpRequest, 'method' | 'timeoutMs'> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The hash of the content in hexadecimal. Default: it is calculated. */
  readonly sha256?: string | undefined;
}

export type AwsService = 's3' | 'ses' | 'sqs' | 'dynamodb';

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
