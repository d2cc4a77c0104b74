/** Reads an owner's file as UTF-8, and reports any other encoding. */
import { isUtf8 } from 'node:buffer';
import { err, ok, type Result } from './result.ts';

/** A text, or the reason why it could not be read, in words for the owner, with the position of the error if there is one. */
export type ReadText<T = string> = Result<T, string> & { readonly at?: Position };

/** A 1-based position, as in editors, and the reason without that position. */
interface Position {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

/** The longest config that is read. A config with 10,000 forms is 11 MB. */
export const maxConfigBytes = 16 * 1_048_576;

/** Magic numbers of PNG, JPEG, GIF, WebP and WOFF2. */
const notText = /^(?:89504e47|ffd8ff|47494638|52494646|774f4632)/;

/**
 * Rejects files that are not UTF-8: decoding them would silently garble names and texts. Images and fonts
 * become `data:` URLs, so that they can be used wherever texts can.
 */
export function ownersText(bytes: Buffer): ReadText {
  if (notText.test(bytes.toString('hex', 0, 4))) return ok(`data:;base64,${bytes.toString('base64')}`);
  // English words in UTF-16 are valid UTF-8, too, with NUL bytes.
  const zero = bytes.indexOf(0);
  if (zero < 0 && isUtf8(bytes)) return ok(bytes.toString('utf8'));
  const offset = zero < 0 ? firstBadByte(bytes) : zero;
  const before = bytes.toString('utf8', 0, offset).replace(/^\uFEFF/, '');
  const byte = `byte 0x${bytes.toString('hex', offset, offset + 1).toUpperCase()} at offset ${offset}`;
  return zero < 0
    ? notUtf8(before, byte)
    : misplaced(before, `${byte} is zero, and text files contain no zero bytes${utf16(bytes)}`);
}

/** Like `ownersText`, for a text that is already decoded, with a replacement character for each wrong byte. */
export function decodedText(text: string): ReadText {
  const end = text.indexOf('\uFFFD');
  return end < 0 ? ok(text) : notUtf8(text.slice(0, end), 'a byte');
}

const notUtf8 = (before: string, byte: string): ReadText =>
  misplaced(before, `${byte} is not valid UTF-8; save the file as UTF-8`);

/** Text in UTF-16, as some Windows programs save it, has a zero in every other byte. */
function utf16(bytes: Buffer): string {
  const isMarked = /^(fffe|feff)/.test(bytes.toString('hex', 0, 2));
  const [first, second, third, fourth] = bytes;
  const isHalf =
    (first === 0) !== (second === 0) && (first === 0) === (third === 0) && (second === 0) === (fourth === 0);
  return isMarked || isHalf ? ': the file is UTF-16; save it as UTF-8' : '';
}

function misplaced(before: string, reason: string): ReadText {
  const lines = before.split(/\r\n|[\r\n]/);
  const at = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, reason };
  return { ...err(`line ${at.line}, column ${at.column}: ${reason}`), at };
}

function firstBadByte(bytes: Buffer): number {
  const text = bytes.toString('utf8');
  const replacement = Buffer.from('\uFFFD');
  for (let offset = 0, start = 0; ; ) {
    const end = text.indexOf('\uFFFD', start);
    offset += Buffer.byteLength(text.slice(start, end));
    // The file may contain a replacement character of its own.
    if (!bytes.subarray(offset, offset + replacement.length).equals(replacement)) return offset;
    offset += replacement.length;
    start = end + 1;
  }
}
