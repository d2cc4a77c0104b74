import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface UnsignedRequest {
  readonly method: 'GET' | 'POST';
  /** Its path is already encoded as it goes over the wire. */
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SigningScope {
  readonly region: string;
  readonly service: 's3' | 'ses';
  readonly credentials: AwsCredentials;
  /** Milliseconds since the epoch. */
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
  const bodyHash = sha256(request.body);
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
    // S3 signs the path as it is sent; the others encode it once more.
    scope.service === 's3' ? request.url.pathname : encodePath(request.url.pathname),
    '',
    ...names.map((name) => `${name}:${headers[name]?.trim().replaceAll(/ +/g, ' ')}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n');
  const credentialScope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, credentialScope, sha256(canonicalRequest)].join('\n');
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

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
