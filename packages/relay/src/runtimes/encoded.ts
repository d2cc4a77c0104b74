import { type Encoding, encodings, type RelayResponse } from '../base/http.ts';

/** The answer as it goes over the wire. */
export interface Encoded extends Pick<RelayResponse, 'status' | 'headers'> {
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** The answer as the client asked for it: compressed, where that can be done once. Each encoding has a tag of its own. */
export async function encoded(answer: RelayResponse, acceptEncoding = ''): Promise<Encoded> {
  const { status, headers, body, isFixed } = answer;
  const encoding = encodings.find((one) => isAccepted(one, acceptEncoding));
  if (!isFixed || !headers.etag || !encoding) return answer;
  const etag = headers.etag.replace(/"$/, `-${encoding}"`);
  if (status === 304) return { status, headers: { ...headers, etag }, body };
  // An answer to HEAD has none.
  const sent = body && (await compressed(body, encoding, etag).catch(() => undefined));
  if (sent === undefined) return answer;
  return { status, headers: { ...headers, etag, 'content-encoding': encoding }, body: sent };
}

const known = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

/** As small as can be, when that is first asked for. */
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

/** Only what is named: `*` may mean anything, and plain text is always right. */
const isAccepted = (encoding: Encoding, acceptEncoding: string): boolean =>
  acceptEncoding.split(',').some((item) => {
    const [name = '', ...parameters] = item
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    return name === encoding && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
