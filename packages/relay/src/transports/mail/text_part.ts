import { quotedPrintable } from './quoted_printable.ts';

/** The text of a mail, or of a part of it, with its headers. `moreHeaders` stand among them. */
export function textPart(text: string, moreHeaders = ''): string {
  const encoding = transferEncoding(text);
  const first = encoding === undefined ? '' : `Content-Transfer-Encoding: ${encoding}\r\n`;
  return `${first}${moreHeaders}Content-Type: text/plain; charset=utf-8\r\n\r\n${encoded(text, encoding)}`;
}

/**
 * It is ASCII, so it needs no encoding unless one of its lines is longer than servers take.
 *
 * @param start What it begins with, in short lines, the same in many mails.
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

/** As nodemailer chooses it, but never base64: to spam filters, words in base64 have something to hide. */
function transferEncoding(text: string): TransferEncoding | undefined {
  if (text === '') return undefined;
  if (text.length > longestPlain || unusual.test(text)) return 'quoted-printable';
  // A CR ends a line, too, be it alone or half of a line break.
  const lines = text.includes('\r') ? text.replaceAll('\r', '\n') : text;
  return hasLongerLine(lines, lineLength) ? 'quoted-printable' : '7bit';
}

/** In lines that end with CRLF, the last one too. */
function encoded(text: string, encoding: TransferEncoding | undefined): string {
  const body = encoding === 'quoted-printable' ? quotedPrintable(text) : text;
  const ended = body === '' || body.endsWith('\n') || body.endsWith('\r') ? body : `${body}\n`;
  return ended.includes('\r') ? ended.replace(lineBreak, '\r\n') : ended.replaceAll('\n', '\r\n');
}

/** Between two line feeds. */
function hasLongerLine(text: string, length: number): boolean {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > length) return true;
    start = end + 1;
  }
  return text.length - start > length;
}

/** A lone CR must not stay: a server that takes it for the end of a line could see a second mail (SMTP smuggling). */
const lineBreak = /\r\n|\r|\n/g;

/** Characters that servers which know ASCII alone may refuse. */
const unusual = /[\0-\x08\x0b\x0c\x0e-\x1f\x80-\uffff]/;

const lineLength = 76;

/** RFC 5322, 2.1.1. */
const longestLine = 998;

/** nodemailer looks no further. */
const longestPlain = 131_072;
