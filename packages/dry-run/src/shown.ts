/** Renders requests, mails and archived files of a dry run: the bytes that would be sent, with secrets redacted. */

import { addressOf, type Mailbox, mailboxText } from '@form-relay/base/address';
import { wholeOf } from '@form-relay/base/streamed';
import { fileInWords, sizeInWords, type UploadedFile } from '@form-relay/base/values';
import { utf8 } from '@form-relay/clients/http/protocol';
import { composeMail } from '@form-relay/clients/mail/compose';
import type { HttpRequest, Mail, ReadableContent, SmtpMessage } from '@form-relay/core/services';
import type { ShownEntry } from '@form-relay/more-outputs/store_entry';
import type { Secrets } from './secrets.ts';

export type Shown =
  | {
      readonly kind: 'http';
      /** Request line, headers and body as sent over the connection (inside TLS for https). */
      readonly bytes: string;
      /** The readable content, if any. */
      readonly says?: ReadableContent | undefined;
    }
  | {
      /** An entry of an archive. */
      readonly kind: 'entry';
      /** The archive, the paths in it, and the document. */
      readonly text: string;
      readonly says: ReadableContent;
    }
  | ShownMail;

export interface ShownMail {
  readonly kind: 'mail';
  /** `smtp.example.com:587` or `Amazon SES`. */
  readonly server: string;
  /** `from` is empty for mails that must not bounce. */
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** Mailboxes in RFC 5322 format, before encoding. */
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly replyTo: string | undefined;
  readonly subject: string;
  /** The owner's headers. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  readonly html: string | undefined;
  /** Names and sizes of the attached files. */
  readonly attachments: readonly string[];
  /** The message with its headers, or the request to SES with the decoded message. Files are described. */
  readonly source: string;
}

export function showRequest(
  request: HttpRequest,
  secrets: Secrets,
  {
    files = [],
    says,
  }: { readonly files?: readonly UploadedFile[]; readonly says?: ReadableContent | undefined } = {},
): Shown {
  const { method = 'POST', url, headers, body, streamed } = request;
  const { host, path } = secrets.address(url);
  const type = headers['content-type'] ?? '';
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    'connection: keep-alive',
    ...('accept-encoding' in headers ? [] : ['accept-encoding: identity']),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${headerText(name, utf8(value), secrets)}`),
    `content-length: ${streamed?.byteLength ?? Buffer.byteLength(body)}`,
  ];
  const text = streamed ? withFilesInWords(wholeOf(streamed), files).toString() : body;
  const shown = /json/.test(type) ? secrets.json(text) : secrets.pairs(text, '&');
  return {
    kind: 'http',
    bytes: `${lines.join('\r\n')}\r\n\r\n${shown}`,
    ...(says && { says: maskedContent(says, secrets) }),
  };
}

/** Not redacted: a signature reveals nothing about the secret, and owners look for it. */
const headerText = (name: string, value: string, secrets: Secrets): string =>
  name === 'webhook-signature' && /^v1,[\w+/]{43}=( v1,[\w+/]{43}=)*$/.test(value)
    ? secrets.text(value)
    : secrets.header(name, value);

/** Replaces files in JSON by descriptions. */
function withFilesInWords(body: Buffer, files: readonly UploadedFile[]): Buffer {
  let shown = body;
  for (const file of files) {
    const words = fileInWords(file);
    const { bytes } = file;
    const inJson = `"${Buffer.from(bytes).toString('base64')}"`;
    shown = replaced(shown, Buffer.from(inJson), JSON.stringify(`(base64 of ${words})`));
  }
  return shown;
}

function replaced(whole: Buffer, part: Buffer, text: string): Buffer {
  const at = whole.indexOf(part);
  if (at < 0) return whole;
  return Buffer.concat([whole.subarray(0, at), Buffer.from(text), whole.subarray(at + part.length)]);
}

export function showEntry(archive: string, entry: ShownEntry, secrets: Secrets): Shown {
  const { files, path, document } = entry;
  const paths = [...files.map(({ path, size }) => `${path} (${sizeInWords(size)})`), path];
  const text = [
    archive,
    ...paths.map((one) => `  ${one}`),
    '',
    secrets.json(JSON.stringify(document, null, 2)),
  ].join('\n');
  const entries = [
    ...document.fields.map(({ name, label, values }) => ({
      label,
      value: values.map((value) => secrets.value(name, value)).join('\n'),
    })),
    ...document.files.map(({ field, name, size }) => ({
      label: field,
      value: `${name} (${sizeInWords(size)})`,
    })),
  ];
  return { kind: 'entry', text, says: { title: document.form, entries, footer: [] } };
}

const maskedContent = ({ title, entries, footer }: ReadableContent, secrets: Secrets): ReadableContent => ({
  title: secrets.text(title),
  entries: entries.map(({ label, value }) => ({ label, value: secrets.value(label, value) })),
  footer: footer.map((line) => secrets.text(line)),
});

export async function showSmtp(message: SmtpMessage, secrets: Secrets): Promise<Shown> {
  const mail = masked(message, secrets);
  const source = await sourceOf(mail);
  return { ...parts(mail), server: `${message.host}:${message.port}`, source };
}

export async function showSes(message: Mail, secrets: Secrets, request: HttpRequest): Promise<Shown> {
  const mail = masked(message, secrets);
  const head = Object.entries({ ...request.headers, authorization: '***' })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const body = request.streamed ? wholeOf(request.streamed).toString() : request.body;
  const source = `POST ${request.url.pathname} HTTP/1.1\r\n${head}\r\n${secrets.json(inClear(body))}`;
  return { ...parts(mail), server: 'Amazon SES', source };
}

/** Shows the MIME message instead of its base64. */
function inClear(body: string): string {
  const [, before = '', data, after = ''] = /^(.*"Raw":\{"Data":)"([^"]*)"(.*)$/s.exec(body) ?? [];
  if (data === undefined) return body;
  const mime = Buffer.from(data, 'base64').toString('utf8');
  return `${before}"(base64 of what follows)"${after}\r\n\r\n${mime}`;
}

/** Replaces the base64 of files by descriptions. */
async function sourceOf(mail: Mail): Promise<string> {
  const { attachments = [] } = mail;
  const { source, rest, isUtf8 } = await composeMail(mail);
  let files = rest ? wholeOf(rest).toString() : '';
  for (const file of attachments) {
    const start = Buffer.from(file.bytes).toString('base64').slice(0, 76);
    const at = files.indexOf(`\r\n\r\n${start}`) + 4;
    const end = files.indexOf('\r\n--', at);
    if (start !== '' && at >= 4 && end > at)
      files = `${files.slice(0, at)}(base64 of ${fileInWords(file)})${files.slice(end)}`;
  }
  return isUtf8 ? Buffer.from(source, 'latin1') + files : source + files;
}

function masked(mail: Mail, secrets: Secrets): Mail {
  const named = (mailbox: Mailbox): Mailbox =>
    typeof mailbox === 'string' ? mailbox : { ...mailbox, name: secrets.text(mailbox.name) };
  return {
    ...mail,
    from: named(mail.from),
    to: mail.to.map(named),
    cc: mail.cc?.map(named),
    bcc: mail.bcc?.map(named),
    replyTo: mail.replyTo && named(mail.replyTo),
    subject: secrets.text(mail.subject),
    text: secrets.pairs(mail.text, '\n'),
    html: mail.html && secrets.html(mail.html),
    headers:
      mail.headers && new Map([...mail.headers].map(([name, value]) => [name, secrets.header(name, value)])),
  };
}

function parts(mail: Mail): Omit<ShownMail, 'server' | 'source'> {
  const { from, to, cc = [], bcc = [], replyTo, subject, text, html, attachments = [] } = mail;
  return {
    kind: 'mail',
    envelope: {
      from: addressOf(from),
      to: [...to, ...cc, ...bcc].map(addressOf),
    },
    from: mailboxText(from),
    to: to.map(mailboxText),
    cc: cc.map(mailboxText),
    bcc: bcc.map(mailboxText),
    replyTo: replyTo && mailboxText(replyTo),
    subject,
    headers: [...(mail.headers ?? [])].filter(([, value]) => value !== ''),
    text,
    html,
    attachments: attachments.map(fileInWords),
  };
}
