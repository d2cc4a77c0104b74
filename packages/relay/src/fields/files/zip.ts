import { inflateRawSync } from 'node:zlib';

/** What a zip says that it holds. Read with bounds on everything: whoever made it may lie. */
export interface ZipDirectory {
  /** In lower case, at most `mostEntries` of them. */
  readonly names: readonly string[];
  /** The first of its files, if it is not compressed and short, as text: where OpenDocument and EPUB say what they are. */
  readonly mimetype: string;
  /** `[Content_Types].xml` in lower case; empty where there is none, or one that nobody's program would write. */
  readonly contentTypes: string;
}

/** The record at its end, without its comment. */
const endBytes = 22;
const mostEntries = 20_000;
const mostContentTypes = 1_048_576;

/** The directory at the end, as programs read it; `undefined` where it is not one. */
export function readZip(bytes: Uint8Array): ZipDirectory | undefined {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (zip.length < endBytes) return undefined;
  const end = zip.lastIndexOf('PK\x05\x06', zip.length - endBytes, 'latin1');
  // What follows it is a comment of at most 64 KB.
  if (end < 0 || zip.length - end > endBytes + 65_535) return undefined;
  const count = Math.min(zip.readUInt16LE(end + 10), mostEntries);
  const names: string[] = [];
  let contentTypes = '';
  for (let at = zip.readUInt32LE(end + 16), n = 0; n < count; n += 1) {
    if (at + 46 > end || zip.readUInt32LE(at) !== 0x02014b50) return undefined;
    const nameLength = zip.readUInt16LE(at + 28);
    const next = at + 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
    if (next > end) return undefined;
    const name = zip.toString('latin1', at + 46, at + 46 + nameLength).toLowerCase();
    names.push(name);
    if (name === '[content_types].xml') contentTypes = contentOf(zip, at).toLowerCase();
    at = next;
  }
  return { names, mimetype: mimetypeOf(zip), contentTypes };
}

/** `at`: where the directory tells of it. */
function contentOf(zip: Buffer, at: number): string {
  const method = zip.readUInt16LE(at + 10);
  const length = zip.readUInt32LE(at + 20);
  const local = zip.readUInt32LE(at + 42);
  if (local + 30 > zip.length || zip.readUInt32LE(local) !== 0x04034b50) return '';
  const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const stored = zip.subarray(from, from + length);
  if (method === 0) return stored.subarray(0, mostContentTypes).toString('latin1');
  try {
    return method === 8
      ? inflateRawSync(stored, { maxOutputLength: mostContentTypes }).toString('latin1')
      : '';
  } catch {
    return '';
  }
}

function mimetypeOf(zip: Buffer): string {
  if (zip.length < 30 || zip.readUInt16LE(8) !== 0 || zip.toString('latin1', 30, 38) !== 'mimetype')
    return '';
  const from = 30 + zip.readUInt16LE(26) + zip.readUInt16LE(28);
  return zip.toString('latin1', from, from + Math.min(zip.readUInt32LE(18), 100));
}
