import type MimeNode from 'nodemailer/lib/mime-node';
import type { Mail, Mailbox } from '../../effects.ts';
import type { Streamed } from '../../streamed.ts';
import type { Attached, ContentOf } from './attached.ts';

/** A mail as RFC 5322 wants it. */
export interface ComposedMail {
  /** `from` is empty where nothing is to be sent back (RFC 5321, 4.5.5). */
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** The address in From. */
  readonly author: string;
  /** Headers and text, in lines that end with CRLF. */
  readonly source: string;
  /** What follows: the files, in lines of which none begins with a dot. */
  readonly rest?: Streamed | undefined;
}

/** How many bytes follow DATA, before dot-stuffing (RFC 1870, 3). */
export const sizeOf = ({ source, rest }: ComposedMail): number => source.length + (rest?.byteLength ?? 0);

/** nodemailer's parts that compose. */
export interface Encoders {
  /** Encodes headers, of any mail. */
  readonly mime: MimeNode;
  readonly lines: typeof import('nodemailer/lib/mime-funcs');
  readonly quotedPrintable: typeof import('nodemailer/lib/qp');
}

let encoders: Encoders | undefined;

async function loadEncoders(): Promise<Encoders> {
  const [{ default: MimeNode }, lines, quotedPrintable] = await Promise.all([
    import('nodemailer/lib/mime-node'),
    import('nodemailer/lib/mime-funcs'),
    import('nodemailer/lib/qp'),
  ]);
  return { mime: new MimeNode(contentType, mimeOptions), lines, quotedPrintable };
}

/**
 * The mail as it would be sent; the first one loads nodemailer's part of it.
 *
 * @param contentOf What stands in place of a file, for those who show the mail.
 */
export function composeMail(mail: Mail, contentOf?: ContentOf): ComposedMail | Promise<ComposedMail> {
  // Without waiting, where there is nothing to wait for.
  return encoders && !mail.attachments?.length ? compose(encoders, mail) : composeLate(mail, contentOf);
}

async function composeLate(mail: Mail, contentOf: ContentOf | undefined): Promise<ComposedMail> {
  encoders ??= await loadEncoders();
  const { attachments = [], messageId } = mail;
  if (attachments.length === 0) return compose(encoders, mail);
  const { attach } = await import('./attached.ts');
  return compose(encoders, mail, attach(encoders.lines, attachments, messageId, contentOf));
}

/**
 * Gives the bytes that nodemailer's own composer gives, by its encoders, in a fortieth of its time. They differ only
 * where nodemailer folds a header badly, or writes text as base64.
 */
function compose(encoders: Encoders, mail: Mail, attached?: Attached): ComposedMail {
  const { from, to, cc, bcc, replyTo, subject, messageId, date, headers, isAutoReply = false } = mail;
  const { mime, lines } = encoders;

  const header = (name: string, value: string) =>
    value.trim() === '' ? '' : `${lines.foldLines(`${name}: ${value}`, lineLength)}\r\n`;
  const words = (name: string, value: string) => {
    // Each as a subject: of some names nodemailer knows better.
    const encoded = mime.encodeHeaderValue('Subject', value);
    return header(name, foldsBadly(encoded) ? lines.encodeWord(value, 'Q', encodedWordLength) : encoded);
  };
  const addressee = (mailbox: Mailbox) => mailboxHeader(encoders, mailbox);

  const sender = addressee(from);
  const recipients = to.map(addressee);
  let head = header('From', sender) + header('To', recipients.join(', '));
  const everybody = [...recipients];
  if (cc) {
    const copies = cc.map(addressee);
    head += header('Cc', copies.join(', '));
    everybody.push(...copies);
  }
  if (bcc) everybody.push(...bcc.map(addressee));
  if (replyTo !== undefined) head += header('Reply-To', addressee(replyTo));
  head += words('Subject', subject);
  head += header('Date', new Date(date).toUTCString().replace('GMT', '+0000'));
  head += header('Message-ID', `<${messageId}>`);
  // RFC 3834, 5: keeps vacation notices from answering.
  head += `Auto-Submitted: auto-${isAutoReply ? 'replied' : 'generated'}\r\n`;
  if (headers) for (const [name, value] of headers) head += words(name, value);

  const author = bare(sender);
  return {
    envelope: { from: isAutoReply ? '' : author, to: [...new Set(everybody.map(bare))] },
    author,
    source: head + (attached ? mixed(encoders, mail, attached) : bodyOf(encoders, mail, mimeVersion)),
    rest: attached?.rest,
  };
}

/** As an object: in a string nodemailer would look for several addresses, and find them (D13). */
function mailboxHeader({ mime, lines }: Encoders, mailbox: Mailbox): string {
  if (typeof mailbox === 'string') {
    return plainAddress.test(mailbox) ? mailbox : mime.encodeHeaderValue('To', { address: mailbox });
  }
  const header = mime.encodeHeaderValue('To', mailbox);
  if (!foldsBadly(header)) return header;
  return `${lines.encodeWord(mailbox.name, 'Q', encodedWordLength)} <${mailbox.address}>`;
}

/** Up to the first file (RFC 2046, 5.1.3). */
const mixed = (encoders: Encoders, mail: Mail, { boundary }: Attached): string =>
  `${mimeVersion}Content-Type: multipart/mixed;\r\n boundary="${boundary}"\r\n\r\n` +
  `--${boundary}\r\n${bodyOf(encoders, mail)}`;

/** The text, or the text and the same as HTML (RFC 2046, 5.1.4), each with its headers. */
function bodyOf(encoders: Encoders, { text, html, messageId }: Mail, moreHeaders = ''): string {
  if (html === undefined) return part(encoders, text, moreHeaders);
  // No visitor knows it before, and no encoding has `=_`.
  const boundary = `=_${messageId.replace(/@.*$/, '')}`;
  return (
    `${moreHeaders}Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n` +
    `--${boundary}\r\n${part(encoders, text)}--${boundary}\r\n${htmlPart(encoders, html)}--${boundary}--\r\n`
  );
}

function part(encoders: Encoders, text: string, moreHeaders = ''): string {
  const encoding = transferEncoding(encoders, text);
  const head = `${encoding ? `Content-Transfer-Encoding: ${encoding}\r\n` : ''}${moreHeaders}Content-Type: ${contentType}\r\n\r\n`;
  return head + encoded(encoders, text, encoding);
}

/** It is ASCII, so it needs no encoding unless one of its lines is longer than servers take. */
function htmlPart(encoders: Encoders, html: string): string {
  const encoding = hasLongLine(html) ? 'quoted-printable' : '7bit';
  const head = `Content-Transfer-Encoding: ${encoding}\r\nContent-Type: ${htmlContentType}\r\n\r\n`;
  return head + encoded(encoders, html, encoding);
}

/** As nodemailer would find it, whose regular expression takes longer than all the rest of the mail. */
function hasLongLine(text: string): boolean {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > longestLine) return true;
    start = end + 1;
  }
  return text.length - start > longestLine;
}

/** The text in its encoding, in lines that end with CRLF. */
function encoded({ quotedPrintable }: Encoders, text: string, encoding: string | undefined): string {
  let body = text;
  if (encoding === 'quoted-printable') body = quotedPrintable.wrap(quotedPrintable.encode(text), lineLength);
  if (body !== '' && !/[\r\n]$/.test(body)) body += '\r\n';
  return body.includes('\r') ? body.replace(lineBreak, '\r\n') : body.replaceAll('\n', '\r\n');
}

/**
 * Whether one of its lines would be longer than servers take, or of white space alone, which some take for the end of
 * the headers.
 */
const foldsBadly = (value: string) =>
  value.length > lineLength &&
  (/\s{70}/.test(value) ||
    (value.length > longestRun && value.split(/\s+/).some((run) => run.length > longestRun)));

/** As nodemailer chooses it, but never base64: to spam filters, words in base64 have something to hide. */
function transferEncoding({ lines }: Encoders, text: string): '7bit' | 'quoted-printable' | undefined {
  if (text === '') return undefined;
  const isShort = lines.isPlainText(text) && !lines.hasLongerLines(text, lineLength);
  return isShort ? '7bit' : 'quoted-printable';
}

/** A lone CR must not stay: a server that takes it for the end of a line could see a second mail (SMTP smuggling). */
const lineBreak = /\r\n|\r|\n/g;

const mimeVersion = 'MIME-Version: 1.0\r\n';

const contentType = 'text/plain; charset=utf-8';

const htmlContentType = 'text/html; charset=utf-8';

const lineLength = 76;

/** RFC 5322, 2.1.1. */
const longestLine = 998;

/**
 * RFC 5321, 4.5.3.1.6 and RFC 5322, 2.1.1 allow a line 998 bytes, here with the spaces that may precede what has none.
 * Subjects, names and the owner's headers can be longer.
 */
const longestRun = longestLine - lineLength;

/** As nodemailer has it. RFC 2047, 2 allows 75. */
const encodedWordLength = 52;

/** `baseBoundary` is for parts, and there is one; without it, nodemailer asks for random bytes each time. */
const mimeOptions = { disableFileAccess: true, disableUrlAccess: true, baseBoundary: '-' };

/** What nodemailer leaves as it is. It takes 2.5 µs to find out; with three addresses, 5 % of a mail. */
const plainAddress =
  /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@([a-z\d]([a-z\d-]*[a-z\d])?\.)+[a-z]([a-z\d-]*[a-z\d])?$/;

/** After a name, or with an unusual domain, an address stands in a header in `<` and `>`. */
const bare = (mailbox: string) =>
  mailbox.endsWith('>') ? mailbox.slice(mailbox.lastIndexOf('<') + 1, -1) : mailbox;
