import { isUtf8 } from 'node:buffer';
import { base64Length, joined, type Streamed } from '@form-relay/base/streamed';
import type { UploadedFile } from '@form-relay/base/values';

/** The parts of a mail with files, which follow the part with the text (RFC 2046, 5.1.3). */
export interface Attached {
  readonly boundary: string;
  /** The rest of the mail after the text. No line starts with a dot. */
  readonly rest: Streamed;
}

export function attach(files: readonly UploadedFile[], messageId: string): Attached {
  // Starts differently from the boundary around a text and its HTML (compose.ts).
  const boundary = `==_${messageId.replace(/@.*$/, '')}`;
  const parts = files.flatMap((file) => [`--${boundary}\r\n${headOf(file)}\r\n`, base64Lines(file.bytes)]);
  return { boundary, rest: joined([...parts, `--${boundary}--\r\n`]) };
}

function headOf({ name: given, type, bytes }: UploadedFile): string {
  // Some programs would decode `=?` as an encoded word (RFC 2047) in any parameter.
  const name = given.replaceAll('=?', '= ?');
  return (
    `Content-Type: ${typeOf(type, bytes)};${parameter('name', name)}\r\n` +
    'Content-Transfer-Encoding: base64\r\n' +
    `Content-Disposition: attachment;${parameter('filename', name)}\r\n`
  );
}

/** A quoted string, or RFC 2231 encoding, because parameters must not contain encoded words (RFC 2047, 5). */
const parameter = (key: string, name: string): string =>
  plainName.test(name)
    ? `\r\n ${key}="${name}"`
    : inSections(key, name)
        .map((section) => `\r\n ${section}`)
        .join(';');

/** Names that fit on one line as a quoted string, without repeated spaces, which servers may collapse. */
const plainName = /^(?!.* {2})[ !#-[\]-~]{1,70}$/;

/** A name in UTF-8, split into several sections if it is long (RFC 2231, 3 and 4). */
function inSections(key: string, name: string): readonly string[] {
  const sections = [''];
  for (const byte of Buffer.from(name)) {
    const char = String.fromCharCode(byte);
    const written = attributeChar.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    if ((sections.at(-1) as string).length + written.length > sectionLength) sections.push('');
    sections[sections.length - 1] += written;
  }
  const [first = '', ...others] = sections;
  if (others.length === 0) return [`${key}*=utf-8''${first}`];
  return [`utf-8''${first}`, ...others].map((section, index) => `${key}*${index}*=${section}`);
}

/** Unescaped ASCII characters (RFC 2231, 7). */
const attributeChar = /[\w!#$&+.^`{|}~-]/;

const sectionLength = 54;

/**
 * Attached mails and multiparts must not be in base64 (RFC 2046, 5.1 and 5.2.1), so they are sent as bytes of
 * unknown type.
 */
function typeOf(type: string, bytes: Uint8Array): string {
  if (!/^(?!message\/|multipart\/)[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/i.test(type))
    return 'application/octet-stream';
  // Without a charset, readers assume ASCII.
  return /^text\//i.test(type) && isUtf8(bytes) ? `${type}; charset=utf-8` : type;
}

/** How many bytes make 76 characters of base64 (RFC 2045, 6.8). */
const bytesOfLine = 57;
const lineLength = 76;

/** As much as fits into a processor's caches: with larger pieces, 5 MB take twice as long. */
const linesOfPiece = 1_024;
const bytesOfPiece = bytesOfLine * linesOfPiece;
const lengthOfPiece = (lineLength + 2) * linesOfPiece;

/** A file in base64, in lines that end with CRLF, without copying the whole file. */
function base64Lines(file: Uint8Array): Streamed {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const length = base64Length(bytes.length);
  const byteLength = length + lineBreaks(length);
  return {
    byteLength,
    *pieces() {
      const memory = Buffer.allocUnsafeSlow(Math.min(byteLength, lengthOfPiece));
      for (let start = 0; start < bytes.length; start += bytesOfPiece) {
        yield inLines(bytes, start, memory);
      }
    },
  };
}

/**
 * Encodes bytes and moves each line apart for the line breaks, which takes a third of the time of joining
 * lines.
 */
function inLines(bytes: Buffer, start: number, memory: Buffer): Buffer {
  const base64 = bytes.toString('base64', start, start + bytesOfPiece);
  const room = lineBreaks(base64.length);
  const lines = memory.subarray(0, base64.length + room);
  lines.write(base64, room, 'latin1');
  let end = 0;
  for (let start = room; start < lines.length; start += lineLength) {
    const stop = Math.min(start + lineLength, lines.length);
    lines.copyWithin(end, start, stop);
    end += stop - start;
    lines[end++] = cr;
    lines[end++] = lf;
  }
  return lines;
}

const lineBreaks = (length: number) => Math.ceil(length / lineLength) * 2;

const cr = 0x0d;
const lf = 0x0a;
