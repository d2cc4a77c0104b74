/** The text of a mail or part with its headers, which include `moreHeaders`. */
export function textPart(written: string, moreHeaders = ''): string {
  const text = withLineFeeds(written);
  const encoding = transferEncoding(text);
  const first = encoding === undefined ? '' : `Content-Transfer-Encoding: ${encoding}\r\n`;
  return `${first}${moreHeaders}Content-Type: text/plain; charset=utf-8\r\n\r\n${encoded(text, encoding)}`;
}

/** The HTML is ASCII, so it needs no encoding unless a line is longer than servers take. */
export function htmlPart(written: string): string {
  const html = withLineFeeds(written);
  const encoding = hasLongerLine(html, longestLine) ? 'quoted-printable' : '7bit';
  return `Content-Transfer-Encoding: ${encoding}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${encoded(html, encoding)}`;
}

type TransferEncoding = '7bit' | 'quoted-printable';

/** Chooses like nodemailer, but never base64, which spam filters suspect in text. */
function transferEncoding(text: string): TransferEncoding | undefined {
  if (text === '') return undefined;
  if (text.length > longestPlain || unusual.test(text)) return 'quoted-printable';
  return hasLongerLine(text, lineLength) ? 'quoted-printable' : '7bit';
}

/** Encodes text in lines that end with CRLF, the last one too. */
function encoded(text: string, encoding: TransferEncoding | undefined): string {
  const body = encoding === 'quoted-printable' ? quotedPrintable(text) : text;
  const ended = body === '' || body.endsWith('\n') ? body : `${body}\n`;
  return ended.replaceAll('\n', '\r\n');
}

/** A lone CR becomes a line feed too: a server that takes it for the end of a line could see a second mail (SMTP smuggling). */
const withLineFeeds = (text: string): string =>
  text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;

/** Whether a line between two line feeds is longer. */
function hasLongerLine(text: string, length: number): boolean {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > length) return true;
    start = end + 1;
  }
  return text.length - start > length;
}

/** Characters that ASCII-only servers may refuse. */
const unusual = /[\0-\x08\x0b\x0c\x0e-\x1f\x80-\uffff]/;

const lineLength = 76;

/** RFC 5322, 2.1.1. */
const longestLine = 998;

/** nodemailer's limit for plain text. */
const longestPlain = 131_072;

/** Characters to escape, except `=`. White space at the end of a line is escaped because servers may strip it. */
const special = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\uffff]+|[\t ](?=\n|$)/g;

const escapes = Array.from(
  { length: 256 },
  (_, byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
);

/** Quoted-printable text (RFC 2045, 6.7). Lines end with LF, also at soft breaks. */
export const quotedPrintable = (text: string): string =>
  text.replaceAll('=', '=3D').replace(special, inEscapes).split('\n').map(softened).join('\n');

/** Escapes the bytes of UTF-8. Half of a surrogate pair becomes U+FFFD. */
function inEscapes(text: string): string {
  let all = '';
  for (const byte of Buffer.from(text)) all += escapes[byte];
  return all;
}

/**
 * A line in parts of at most 76 characters, which include the `=` of a soft break. Breaks it after white space or punctuation
 * near the end of each part, and never within an escape.
 */
function softened(line: string): string {
  if (line.length <= 76) return line;
  let parts = '';
  let start = 0;
  while (line.length - start > 76) {
    let end = start + 75;
    while (end > start + 50 && !'\t .,!?'.includes(line[end - 1] as string)) end -= 1;
    if (end === start + 50)
      end = start + (line[start + 73] === '=' ? 73 : line[start + 74] === '=' ? 74 : 75);
    parts += `${line.slice(start, end)}=\n`;
    start = end;
  }
  return parts + line.slice(start);
}
