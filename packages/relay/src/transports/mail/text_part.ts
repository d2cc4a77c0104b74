/** The text of a mail or part with its headers, which include `moreHeaders`. */
export function textPart(text: string, moreHeaders = ''): string {
  const encoding = transferEncoding(text);
  const first = encoding === undefined ? '' : `Content-Transfer-Encoding: ${encoding}\r\n`;
  return `${first}${moreHeaders}Content-Type: text/plain; charset=utf-8\r\n\r\n${encoded(text, encoding)}`;
}

/**
 * The HTML is ASCII, so it needs no encoding unless a line is longer than servers take.
 *
 * @param start The beginning that many mails share, in short lines.
 */
export function htmlPart(html: string, start = ''): string {
  const isAsLatest = start === latest.start;
  const rest = html.slice(start.length);
  const isLong = hasLongerLine(isAsLatest ? rest : html, longestLine);
  const encoding = isLong ? 'quoted-printable' : '7bit';
  if (!isAsLatest) latest = { start, lines: encoded(start, '7bit') };
  const body = isLong ? encoded(html, encoding) : latest.lines + encoded(rest, encoding);
  return `Content-Transfer-Encoding: ${encoding}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${body}`;
}

let latest = { start: '', lines: '' };

type TransferEncoding = '7bit' | 'quoted-printable';

/** Chooses like nodemailer, but never base64, which spam filters suspect in text. */
function transferEncoding(text: string): TransferEncoding | undefined {
  if (text === '') return undefined;
  if (text.length > longestPlain || unusual.test(text)) return 'quoted-printable';
  // A CR ends a line too, alone or as part of a line break.
  const lines = text.includes('\r') ? text.replaceAll('\r', '\n') : text;
  return hasLongerLine(lines, lineLength) ? 'quoted-printable' : '7bit';
}

/** Encodes text in lines that end with CRLF, the last one too. */
function encoded(text: string, encoding: TransferEncoding | undefined): string {
  const body = encoding === 'quoted-printable' ? quotedPrintable(text) : text;
  const ended = body === '' || body.endsWith('\n') || body.endsWith('\r') ? body : `${body}\n`;
  return ended.includes('\r') ? ended.replace(lineBreak, '\r\n') : ended.replaceAll('\n', '\r\n');
}

/** Whether a line between two line feeds is longer. */
function hasLongerLine(text: string, length: number): boolean {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > length) return true;
    start = end + 1;
  }
  return text.length - start > length;
}

/** Includes the lone CR: a server that takes it for the end of a line could see a second mail (SMTP smuggling). */
const lineBreak = /\r\n|\r|\n/g;

/** Characters that ASCII-only servers may refuse. */
const unusual = /[\0-\x08\x0b\x0c\x0e-\x1f\x80-\uffff]/;

const lineLength = 76;

/** RFC 5322, 2.1.1. */
const longestLine = 998;

/** nodemailer's limit for plain text. */
const longestPlain = 131_072;

/** The longest line with the `=` of a soft line break (RFC 2045, 6.7). */
const longestWithBreak = 76;

/** The characters at the end of a long line where white space or punctuation may break it. */
const margin = 25;

/** Characters to escape, except `=`. White space at the end of a line is escaped because servers may strip it. */
const special = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\uffff]+|[\t ](?=[\r\n]|$)/;
const everySpecial = new RegExp(special, 'g');

const escapes = Array.from(
  { length: 256 },
  (_, byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
);

/** Quoted-printable text (RFC 2045, 6.7), with lines broken where nodemailer breaks them. Soft breaks end with LF. */
export function quotedPrintable(text: string): string {
  const escaped = text.replaceAll('=', '=3D');
  return inLines(special.test(escaped) ? escaped.replace(everySpecial, inEscapes) : escaped);
}

/** Escapes the bytes of UTF-8. Half of a surrogate pair becomes U+FFFD. */
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

/** Escapes a continuation byte. */
const further = (bits: number) => escapes[0x80 | (bits & 63)];

/** Adds soft line breaks. */
function inLines(text: string): string {
  const { length } = text;
  if (length <= longestWithBreak) return text;
  let lines = '';
  let crlf = crlfAfter(text, 0);
  for (let start = 0; start < length; ) {
    const limit = Math.min(start + longestWithBreak, length);
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

function crlfAfter(text: string, start: number): number {
  const at = text.indexOf('\r\n', start);
  return at < 0 ? Number.POSITIVE_INFINITY : at + 2;
}

/** The end of the last LF near the limit, unless a CR follows, which may be half of a line break; or 0. */
function lineFeed(text: string, start: number, limit: number): number {
  const least = Math.max(start, limit - margin);
  for (let end = limit; end > least; end -= 1) {
    const code = text.charCodeAt(end - 1);
    if (code === lf) return end;
    if (code === cr) return 0;
  }
  return 0;
}

/** The end of a line without a line break. Like nodemailer, even the last line breaks before a word that would fit. */
function softEnd(text: string, start: number, limit: number): number {
  const isFull = limit - start === longestWithBreak && limit < text.length;
  let end = limit - start > longestWithBreak - margin ? breakable(text, limit) : 0;
  if (end === 0) end = isFull ? wholeCharacters(text, limit) : limit;
  if (!isFull || end < limit) return end;
  // The `=` needs room.
  return end - (text.charCodeAt(end - 3) === equals ? 3 : 1);
}

/** The end of the last white space or punctuation near the limit; or 0. */
function breakable(text: string, limit: number): number {
  for (let end = limit; end > limit - margin; end -= 1) {
    if (isBreakable[text.charCodeAt(end - 1)] === 1) return end;
  }
  return 0;
}

/** The limit, moved before the escapes of a character that it would cut in two. */
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
