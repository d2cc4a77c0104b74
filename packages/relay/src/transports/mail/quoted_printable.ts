/** Quoted-printable (RFC 2045, 6.7), its lines broken where nodemailer breaks them. */

/** The longest line, with the `=` of a soft line break. */
const lineLength = 76;

/** A line that is too long is broken at white space or punctuation among so many characters at its end. */
const margin = 25;

/** Bytes that do not stand for themselves, but for `=`; white space does where it does not end a line: servers may take it away. */
const special = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\uffff]+|[\t ](?=[\r\n]|$)/;
const everySpecial = new RegExp(special, 'g');

/** Of each byte. */
const escapes = Array.from(
  { length: 256 },
  (_, byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
);

/** The text with escapes, in lines that end with LF or as they did. Most lines of a text need nothing but `=3D`. */
export function quotedPrintable(text: string): string {
  const escaped = text.replaceAll('=', '=3D');
  return inLines(special.test(escaped) ? escaped.replace(everySpecial, inEscapes) : escaped);
}

/** The bytes of UTF-8. Half of a surrogate pair has none, and becomes U+FFFD. */
function inEscapes(text: string): string {
  let all = '';
  for (let index = 0; index < text.length; index += 1) {
    let point = text.codePointAt(index) as number;
    if (point > 0xffff) index += 1;
    if (point >= 0xd800 && point <= 0xdfff) point = 0xfffd;
    if (point < 0x80) {
      all += escapes[point];
    } else if (point < 0x800) {
      all += `${escapes[0xc0 | (point >> 6)]}${further(point)}`;
    } else if (point < 0x10000) {
      all += `${escapes[0xe0 | (point >> 12)]}${further(point >> 6)}${further(point)}`;
    } else {
      all += `${escapes[0xf0 | (point >> 18)]}${further(point >> 12)}${further(point >> 6)}${further(point)}`;
    }
  }
  return all;
}

/** A byte that follows the first of a character. */
const further = (bits: number) => escapes[0x80 | (bits & 63)];

/** With soft line breaks, if it does not fit on one line. */
function inLines(text: string): string {
  const { length } = text;
  if (length <= lineLength) return text;
  let lines = '';
  let crlf = crlfAfter(text, 0);
  for (let start = 0; start < length; ) {
    const limit = Math.min(start + lineLength, length);
    let end = crlf <= limit ? crlf : lineFeed(text, start, limit);
    if (end > 0) {
      lines += text.slice(start, end);
      if (end === crlf) crlf = crlfAfter(text, end);
    } else {
      end = softEnd(text, start, limit);
      lines += end < length ? `${text.slice(start, end)}=\n` : text.slice(start);
    }
    start = end;
  }
  return lines;
}

/** Behind the next CRLF. */
function crlfAfter(text: string, start: number): number {
  const at = text.indexOf('\r\n', start);
  return at < 0 ? Number.POSITIVE_INFINITY : at + 2;
}

/** Behind the last LF near the limit, unless a CR follows, which may be half of a line break; or 0. */
function lineFeed(text: string, start: number, limit: number): number {
  const least = Math.max(start, limit - margin);
  for (let end = limit; end > least; end -= 1) {
    const code = text.charCodeAt(end - 1);
    if (code === lf) return end;
    if (code === cr) return 0;
  }
  return 0;
}

/** Where a line without a line break ends, the last one included: nodemailer breaks it before a word that would fit. */
function softEnd(text: string, start: number, limit: number): number {
  const isFull = limit - start === lineLength && limit < text.length;
  let end = limit - start > lineLength - margin ? breakable(text, limit) : 0;
  if (end === 0) end = isFull ? wholeCharacters(text, limit) : limit;
  if (!isFull || end < limit) return end;
  // The `=` needs room.
  return end - (text.charCodeAt(end - 3) === equals ? 3 : 1);
}

/** Behind the last white space or punctuation near the limit; or 0. */
function breakable(text: string, limit: number): number {
  for (let end = limit; end > limit - margin; end -= 1) {
    if (isBreakable[text.charCodeAt(end - 1)] === 1) return end;
  }
  return 0;
}

/** Before an escape, or the escapes of one character, that the limit would cut in two. */
function wholeCharacters(text: string, limit: number): number {
  let end = limit;
  if (text.charCodeAt(end - 1) === equals) end -= 1;
  else if (text.charCodeAt(end - 2) === equals) end -= 2;
  while (text.charCodeAt(end - 3) === equals) {
    const digit = text.charCodeAt(end - 2);
    // A character of one byte.
    if (digit < digit8) break;
    end -= 3;
    // The first byte of several.
    if (digit >= letterC) break;
  }
  return end;
}

const [lf, cr, equals, digit8, letterC] = [0x0a, 0x0d, 0x3d, 0x38, 0x43];

const isBreakable = Uint8Array.from({ length: 128 }, (_, code) =>
  Number('\t .,!?'.includes(String.fromCharCode(code))),
);
