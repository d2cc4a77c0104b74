/** The parts of a request to SES v2 SendEmail. */
import { addressOf, type Mailbox } from '@form-relay/base/address';
import type { Mail } from '@form-relay/core/services';

export const destinationOf = ({ to, cc = [], bcc = [] }: Mail) => ({
  ToAddresses: to.map(addressOf),
  CcAddresses: cc.length > 0 ? cc.map(addressOf) : undefined,
  BccAddresses: bcc.length > 0 ? bcc.map(addressOf) : undefined,
});

/** Whether SES can compose the mail: plain text for bare addresses. */
export const isSimple = ({
  to,
  cc = [],
  replyTo = '',
  html,
  attachments,
  headers,
  isAutoReply,
}: Mail): boolean =>
  html === undefined &&
  !attachments?.length &&
  headers === undefined &&
  !isAutoReply &&
  [...to, ...cc, replyTo].every((mailbox) => typeof mailbox === 'string');

const utf8 = (data: string) => ({ Data: data, Charset: 'UTF-8' });

export const simpleContent = ({ from, replyTo, subject, text }: Mail) => ({
  FromEmailAddress: mailboxHeader(from),
  ReplyToAddresses: replyTo === undefined ? undefined : [addressOf(replyTo)],
  Content: {
    Simple: {
      Subject: utf8(subject),
      Body: { Text: utf8(text) },
      // RFC 3834: keeps vacation notices from answering.
      Headers: [{ Name: 'Auto-Submitted', Value: 'auto-generated' }],
    },
  },
});

/** A mailbox in the 7-bit ASCII that SES wants: its name quoted (RFC 5322) or in encoded words (RFC 2047). */
export function mailboxHeader(from: Mailbox): string {
  if (typeof from === 'string' || /^[ -~]*$/.test(from.name)) {
    return typeof from === 'string' ? from : `"${from.name.replaceAll(/["\\]/g, '\\$&')}" <${from.address}>`;
  }
  return `${encodedWords(from.name)} <${from.address}>`;
}

/** Encodes 11 characters, at most 44 bytes, at a time: an encoded word is limited to 75 characters. */
const encodedWords = (text: string) =>
  (text.match(/.{1,11}/gsu) ?? [])
    .map((part) => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`)
    .join(' ');
