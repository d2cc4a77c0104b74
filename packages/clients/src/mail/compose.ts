import type { Streamed } from '@form-relay/base/streamed';
import type { Mail } from '@form-relay/core/services';
import type { Attached } from './attachments.ts';
import { inBytes, isInternational } from './international.ts';
import { addressesIn, type Encoders, Head } from './mail_headers.ts';

/** A mail in RFC 5322 format. */
export interface ComposedMail {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** Headers and text, in lines that end with CRLF. */
  readonly source: string;
  /** The files after `source`, in lines that do not begin with a dot. */
  readonly rest?: Streamed | undefined;
  /** Whether only a server with SMTPUTF8 may get the mail (RFC 6531). The texts then hold UTF-8, one character per byte. */
  readonly isUtf8?: boolean;
}

/** The size in bytes after DATA, before dot-stuffing (RFC 1870, 3). */
export const sizeOf = ({ source, rest }: ComposedMail): number => source.length + (rest?.byteLength ?? 0);

let encoders: Encoders | undefined;

async function loadEncoders(): Promise<Encoders> {
  const { MimeNode, lines } = (await import('./nodemailer.ts')).default;
  return { mime: new MimeNode('text/plain', mimeOptions), lines };
}

/** Composes a mail. Loads nodemailer for the first mail with a file, or with a header that is long or not plain ASCII. */
export function composeMail(mail: Mail): ComposedMail | Promise<ComposedMail> {
  // Avoids an unnecessary promise.
  const composed = mail.attachments?.length ? undefined : compose(mail, encoders);
  return composed ?? composeLate(mail);
}

async function composeLate(mail: Mail): Promise<ComposedMail> {
  encoders ??= await loadEncoders();
  const { attachments = [], messageId } = mail;
  if (attachments.length === 0) return compose(mail, encoders) as ComposedMail;
  const { attach } = await import('./attachments.ts');
  return compose(mail, encoders, attach(attachments, messageId)) as ComposedMail;
}

/**
 * Writes the same bytes as nodemailer's composer, except where nodemailer folds a header badly or encodes
 * text in base64. `undefined` if nodemailer is needed but not loaded.
 */
function compose(mail: Mail, encoders: Encoders | undefined, attached?: Attached): ComposedMail | undefined {
  const { replyTo, subject, messageId, date, headers, isAutoReply = false } = mail;
  const addresses = addressesIn(mail, encoders);
  if (addresses === undefined) return undefined;
  const head = new Head(encoders);
  if (replyTo !== undefined) head.add('Reply-To', head.mailbox(replyTo));
  head.addWords('Subject', subject);
  head.add('Date', new Date(date).toUTCString().replace('GMT', '+0000'));
  // Not folded, because some servers do not find it on a second line.
  head.lines += `Message-ID: <${messageId}>\r\n`;
  // This header (RFC 3834, 5) suppresses vacation notices. A mail that a person wrote has its own value.
  if (!headers?.has('Auto-Submitted'))
    head.lines += isAutoReply ? 'Auto-Submitted: auto-replied\r\n' : 'Auto-Submitted: auto-generated\r\n';
  if (headers) for (const [name, value] of headers) head.addWords(name, value);
  if (head.isLacking) return undefined;
  const { author, recipients, lines } = addresses;
  const composed = {
    envelope: { from: author, to: recipients },
    source: lines + head.lines + (attached ? mixed(mail, attached) : bodyOf(mail, mimeVersion)),
    rest: attached?.rest,
  };
  return isInternational(mail) ? asBytes(composed) : composed;
}

const asBytes = ({ envelope: { from, to }, source, rest }: ComposedMail): ComposedMail => ({
  envelope: { from, to: to.map(inBytes) },
  source: inBytes(source),
  rest,
  isUtf8: true,
});

/** The body up to the first file (RFC 2046, 5.1.3). */
const mixed = (mail: Mail, { boundary }: Attached): string =>
  `${mimeVersion}Content-Type: multipart/mixed;\r\n boundary="${boundary}"\r\n\r\n--${boundary}\r\n${bodyOf(mail)}`;

/** The text, with an HTML alternative if there is one (RFC 2046, 5.1.4), each with its headers. */
function bodyOf({ text, html, messageId }: Mail, moreHeaders = ''): string {
  if (html === undefined) return textPart(text, moreHeaders);
  // Visitors cannot predict the boundary, and no encoding produces `=_`.
  const boundary = `=_${messageId.slice(0, messageId.indexOf('@'))}`;
  return (
    `${moreHeaders}Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n` +
    `--${boundary}\r\n${textPart(text)}--${boundary}\r\n${htmlPart(html)}--${boundary}--\r\n`
  );
}

const mimeVersion = 'MIME-Version: 1.0\r\n';

/** There are no parts, but without `baseBoundary`, nodemailer would generate random bytes. */
const mimeOptions = { disableFileAccess: true, disableUrlAccess: true, baseBoundary: '-' };

/** The text of a mail or part with its headers, including `moreHeaders`. */
function textPart(written: string, moreHeaders = ''): string {
  const text = withLineFeeds(written);
  const encoding = transferEncoding(text);
  const first = encoding === undefined ? '' : `Content-Transfer-Encoding: ${encoding}\r\n`;
  return `${first}${moreHeaders}Content-Type: text/plain; charset=utf-8\r\n\r\n${encoded(text, encoding)}`;
}

/** The HTML is ASCII, so it needs no encoding unless a line is longer than servers accept. */
function htmlPart(written: string): string {
  const html = withLineFeeds(written);
  const encoding = hasLongerLine(html, longestLine) ? 'quoted-printable' : '7bit';
  return `Content-Transfer-Encoding: ${encoding}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${encoded(html, encoding)}`;
}

type TransferEncoding = '7bit' | 'quoted-printable';

/** Chooses an encoding like nodemailer, but never base64, because spam filters suspect base64 text. */
function transferEncoding(text: string): TransferEncoding | undefined {
  if (text === '') return undefined;
  if (text.length > longestPlain || unusual.test(text)) return 'quoted-printable';
  return hasLongerLine(text, lineLength) ? 'quoted-printable' : '7bit';
}

/** Encodes text in lines that end with CRLF, including the last one. */
function encoded(text: string, encoding: TransferEncoding | undefined): string {
  const body = encoding === 'quoted-printable' ? quotedPrintable(text) : text;
  const ended = body === '' || body.endsWith('\n') ? body : `${body}\n`;
  return ended.replaceAll('\n', '\r\n');
}

/** Turns a lone CR into a line feed, too: a server that treats it as the end of a line could see a second mail (SMTP smuggling). */
const withLineFeeds = (text: string): string =>
  text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;

/** Whether a line between two line feeds is longer than this. */
function hasLongerLine(text: string, length: number): boolean {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > length) return true;
    start = end + 1;
  }
  return text.length - start > length;
}

/** Characters that ASCII-only servers may reject. */
const unusual = /[\0-\x08\x0b\x0c\x0e-\x1f\x80-\uffff]/;

const lineLength = 76;

/** The maximum length of a line (RFC 5322, 2.1.1). */
const longestLine = 998;

/** The length up to which nodemailer checks whether a text is plain. */
const longestPlain = 131_072;

/** Characters to escape, except `=`. White space at the end of a line is escaped because servers may strip it. */
const special = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\uffff]+|[\t ](?=\n|$)/g;

const escapes = Array.from(
  { length: 256 },
  (_, byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
);

/** Encodes text as quoted-printable (RFC 2045, 6.7). Lines end with LF, including soft breaks. */
const quotedPrintable = (text: string): string =>
  text.replaceAll('=', '=3D').replace(special, inEscapes).split('\n').map(softened).join('\n');

/** Escapes the bytes of UTF-8. Half a surrogate pair becomes U+FFFD. */
function inEscapes(text: string): string {
  let all = '';
  for (const byte of Buffer.from(text)) all += escapes[byte];
  return all;
}

/**
 * Splits a line into parts of at most 76 characters, including the `=` of a soft break. Splits after white
 * space or punctuation near the end of a part, and never inside an escape.
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
