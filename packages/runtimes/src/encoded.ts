import type { RelayResponse } from '@form-relay/core/http/request';

/** Supported compressions, best first. */
const encodings = ['br', 'gzip'] as const;
type Encoding = (typeof encodings)[number];

export interface Encoded extends Pick<RelayResponse, 'status' | 'headers'> {
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** Compresses a fixed answer if the client accepts it. Each encoding has its own ETag. */
export async function encoded(answer: RelayResponse, acceptEncoding = ''): Promise<Encoded> {
  const { status, headers, body, isFixed, isBase64 } = answer;
  if (isBase64) return { status, headers, body: Buffer.from(body, 'base64') };
  const encoding = encodings.find((one) => isAccepted(one, acceptEncoding));
  if (!isFixed || !headers.etag || !encoding) return answer;
  const etag = headers.etag.replace(/"$/, `-${encoding}"`);
  if (status === 304) return { status, headers: { ...headers, etag }, body };
  // An answer to HEAD has no body.
  const sent = body && (await compressed(body, encoding, etag).catch(() => undefined));
  if (sent === undefined) return answer;
  return { status, headers: { ...headers, etag, 'content-encoding': encoding }, body: sent };
}

const known = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

/** Compresses each answer once, at the highest level. */
function compressed(text: string, encoding: Encoding, etag: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = known.get(etag) ?? compress(text, encoding);
  known.set(etag, bytes);
  return bytes;
}

async function compress(text: string, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const { brotliCompress, gzip } = await import('node:zlib');
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, bytes: Uint8Array<ArrayBuffer>) =>
      error ? reject(error) : resolve(bytes);
    if (encoding === 'br') brotliCompress(text, done);
    else gzip(text, { level: 9 }, done);
  });
}

/** Ignores `*`, because an uncompressed answer is always acceptable. */
const isAccepted = (encoding: Encoding, acceptEncoding: string): boolean =>
  acceptEncoding.split(',').some((item) => {
    const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
