import { addressOf, mailboxText } from '../../base/address.ts';
import type { Mail, Mailbox } from '../../base/effects.ts';
import { fileInWords, type UploadedFile } from '../../base/files.ts';
import { wholeOf } from '../../base/streamed.ts';
import type { Mask, Shown } from '../transport.ts';

export { wholeOf } from '../../base/streamed.ts';

/** Shows a mail without its secrets. `sourceOf`: returns the bytes that would be sent. */
export async function shownMail(
  mail: Mail,
  server: string,
  mask: Mask,
  sourceOf: (masked: Mail) => Promise<string>,
): Promise<Shown> {
  const named = (mailbox: Mailbox): Mailbox =>
    typeof mailbox === 'string' ? mailbox : { ...mailbox, name: mask.text(mailbox.name) };
  const masked: Mail = {
    ...mail,
    from: named(mail.from),
    to: mail.to.map(named),
    cc: mail.cc?.map(named),
    bcc: mail.bcc?.map(named),
    replyTo: mail.replyTo && named(mail.replyTo),
    subject: mask.text(mail.subject),
    text: mask.pairs(mail.text, '\n'),
    html: mail.html && mask.html(mail.html),
    htmlStart: undefined,
    headers:
      mail.headers && new Map([...mail.headers].map(([name, value]) => [name, mask.header(name, value)])),
  };
  const { from, to, cc = [], bcc = [], replyTo, subject, text, html, attachments = [], isAutoReply } = masked;
  return {
    kind: 'mail',
    server,
    envelope: {
      from: isAutoReply ? '' : addressOf(from),
      to: [...to, ...cc, ...bcc].map(addressOf),
    },
    from: mailboxText(from),
    to: to.map(mailboxText),
    cc: cc.map(mailboxText),
    bcc: bcc.map(mailboxText),
    replyTo: replyTo && mailboxText(replyTo),
    subject,
    headers: [...(masked.headers ?? [])].filter(([, value]) => value !== ''),
    text,
    html,
    attachments: attachments.map(fileInWords),
    source: await sourceOf(masked),
  };
}

/** The text after DATA, before dot-stuffing (RFC 5321, 4.5.2), with words in place of files. */
export async function shownSource(mail: Mail): Promise<string> {
  const { composeMail } = await import('./compose.ts');
  const { source, rest } = await composeMail(mail, (file) => `${base64InWords(file)}\r\n`);
  return source + (rest ? wholeOf(rest) : '');
}

export const base64InWords = (file: UploadedFile): string => `(base64 of ${fileInWords(file)})`;
