/** Parses literals in templates: quoted text, numbers, `true` and `false`. */
import type { Cursor } from './cursor.ts';

/** Parses a literal; `undefined` if there is none here. */
export function readLiteral(cursor: Cursor): string | undefined {
  const start = cursor.at;
  if (cursor.sees('"')) return quoted(cursor);
  if (cursor.sees('`')) return rawQuoted(cursor);
  const number = cursor.match(cursor.words.number);
  if (number !== undefined) {
    if (/^[+-]?\d+(?:\.\d+)?$/.test(number)) return number;
    throw cursor.wrong(cursor.since(start), 'this is not a plain number; put it in double quotes');
  }
  return isBoolean(cursor.peek(cursor.words.name)) ? cursor.match(cursor.words.name) : undefined;
}

/** An escape in double quotes; the last group is empty if Go has no such escape. */
const escapes =
  /((?:\\x[\da-fA-F]{2}|\\[0-3][0-7]{2})+)|\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|([abfnrtv"\\]?))/g;
const escapedLetters: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '"': '"',
  '\\': '\\',
};

function quoted(cursor: Cursor): string {
  const { source } = cursor;
  const start = cursor.at++;
  while (!cursor.sees('"')) {
    if (cursor.at >= source.length || cursor.sees('\n'))
      throw cursor.wrong(
        { offset: start, length: 1 },
        'this quote is never closed; text in double quotes stays on one line',
      );
    cursor.at += cursor.sees('\\') ? 2 : 1;
  }
  const text = source.slice(start + 1, cursor.at++);
  return text.replace(escapes, (_, bytes, hex4, hex8, letter, index) => {
    const character = unescaped(bytes, hex4 ?? hex8, letter);
    if (character !== undefined) return character;
    throw cursor.wrong(
      { offset: start + 1 + index, length: 1 },
      'in double quotes, "\\" only starts \\n \\t \\" \\\\ \\xHH \\uHHHH and the like',
    );
  });
}

function rawQuoted(cursor: Cursor): string {
  const start = cursor.at;
  const end = cursor.source.indexOf('`', start + 1);
  if (end === -1) throw cursor.wrong({ offset: start, length: 1 }, 'this quote is never closed');
  cursor.at = end + 1;
  // Like Go, so that a template means the same in a file with CRLF line ends.
  return cursor.source.slice(start + 1, end).replaceAll('\r', '');
}

/** Any of the three groups of `escapes`; `undefined` if it is no character. */
function unescaped(bytes?: string, hex?: string, letter = ''): string | undefined {
  if (bytes !== undefined) return fromBytes(bytes);
  if (hex === undefined) return escapedLetters[letter];
  const code = parseInt(hex, 16);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return isSurrogate || code > 0x10ffff ? undefined : String.fromCodePoint(code);
}

/** Consecutive `\xHH` and `\ooo` are bytes of UTF-8, as in Go. */
function fromBytes(escapes: string): string {
  const codes = escapes
    .split('\\')
    .slice(1)
    .map((code) => (code[0] === 'x' ? parseInt(code.slice(1), 16) : parseInt(code, 8)));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(codes));
}

export const isBoolean = (word: string | undefined): boolean => word === 'true' || word === 'false';
