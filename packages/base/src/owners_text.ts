/** Reads an owner's file as UTF-8, and says what is wrong with one in another encoding. */
import { isUtf8 } from 'node:buffer';
import { err, ok, type Result } from './result.ts';

/** A text, or the reason why there is none, in words for the owner, and its place if the file has a wrong one. */
export type ReadText<T = string> = Result<T, string> & { readonly at?: Position };

/** 1-based, as in editors. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** The longest config that is read. One with 10,000 forms has 11 MB. */
export const maxConfigBytes = 16 * 1_048_576;

/** Rejects what is not UTF-8: decoding it all the same would garble names and texts without a word. */
export function ownersText(bytes: Buffer): ReadText {
  const wide = wideEncoding(bytes);
  if (isUtf8(bytes) && wide === undefined) return ok(bytes.toString('utf8'));
  const offset = wide === undefined ? firstBadByte(bytes) : Math.max(0, bytes.subarray(0, 2).indexOf(0));
  const before = bytes.toString('utf8', 0, offset).replace(/^\uFEFF/, '');
  const byte = `byte 0x${bytes.toString('hex', offset, offset + 1).toUpperCase()} at offset ${offset}`;
  const encoding = wide ?? narrowEncoding(bytes.subarray(offset), before);
  return notUtf8(before, byte, `; the file seems to be ${encoding}`);
}

/** The same for a text that somebody else decoded, where a replacement character stands for each wrong byte. */
export function decodedText(text: string): ReadText {
  const end = text.indexOf('\uFFFD');
  return end < 0 ? ok(text) : notUtf8(text.slice(0, end), 'a byte', '');
}

function notUtf8(before: string, byte: string, guess: string): ReadText {
  const lines = before.split(/\r\n|[\r\n]/);
  const at = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  const place = `line ${at.line}, column ${at.column}`;
  return { ...err(`${place}: ${byte} is not UTF-8 text${guess}; save it as UTF-8`), at };
}

/** UTF-16 or UTF-32, by its byte order mark or by its zeros, of which UTF-8 text has none. */
export function wideEncoding(bytes: Buffer): string | undefined {
  const [mark] = /^(?:fffe0000|0000feff|fffe|feff)/.exec(bytes.toString('hex', 0, 4)) ?? [];
  if (mark !== undefined) return marks[mark];
  const head = bytes.subarray(0, 1_024);
  const zeros = [0, 1, 2, 3].map((place) => {
    const every = head.filter((_, index) => index % 4 === place);
    return every.filter((byte) => byte === 0).length * 4 > every.length ? 1 : 0;
  });
  return zerosOf[zeros.join('')];
}

const marks: Readonly<Record<string, string>> = {
  fffe0000: 'UTF-32 LE',
  '0000feff': 'UTF-32 BE',
  fffe: 'UTF-16 LE',
  feff: 'UTF-16 BE',
};

/** The bytes of four that are often zero: keys are ASCII whatever the language. */
const zerosOf: Readonly<Record<string, string>> = {
  '0111': 'UTF-32 LE',
  1110: 'UTF-32 BE',
  '0101': 'UTF-16 LE',
  1010: 'UTF-16 BE',
};

function firstBadByte(bytes: Buffer): number {
  const text = bytes.toString('utf8');
  const replacement = Buffer.from('\uFFFD');
  for (let offset = 0, start = 0; ; ) {
    const end = text.indexOf('\uFFFD', start);
    offset += Buffer.byteLength(text.slice(start, end));
    // The file may contain the character itself.
    if (!bytes.subarray(offset, offset + replacement.length).equals(replacement)) return offset;
    offset += replacement.length;
    start = end + 1;
  }
}

/** @param bytes From the first wrong byte. @param before The text before it. */
function narrowEncoding(bytes: Buffer, before: string): string {
  if (/[^\0-\x7f]/.test(before)) return 'UTF-8 up to there and something else from there on';
  const text = bytes.toString('latin1');
  // Windows-1252 has no characters here.
  if (/[\x81\x8d\x8f\x90\x9d]/.test(text)) return 'in an encoding older than UTF-8';
  return /[\x80-\x9f]/.test(text) ? 'Windows-1252' : 'Windows-1252 or Latin-1';
}
