/** Addresses with non-ASCII characters before the `@`, which only servers with SMTPUTF8 accept (RFC 6531). */
import { addressOf, type Mailbox, needsUtf8 } from '@form-relay/base/address';
import { ClientError } from '@form-relay/base/client_error';
import type { Mail } from '@form-relay/core/services';
import { failed } from '../failures.ts';

type Addresses = Pick<Mail, 'to' | 'cc' | 'bcc' | 'replyTo'>;

const isBeyondAscii = (mailbox: Mailbox): boolean => needsUtf8(addressOf(mailbox));

export const isInternational = ({ to, cc, bcc, replyTo }: Addresses): boolean =>
  to.some(isBeyondAscii) ||
  (replyTo !== undefined && isBeyondAscii(replyTo)) ||
  cc?.some(isBeyondAscii) === true ||
  bcc?.some(isBeyondAscii) === true;

export const hasPlainRecipient = ({ to, cc = [], bcc = [] }: Addresses): boolean =>
  [...to, ...cc, ...bcc].some((mailbox) => !isBeyondAscii(mailbox));

/** Whether the mail needs SMTPUTF8, but the server does not offer it. */
export const isLacking = (error: unknown): boolean =>
  error instanceof ClientError && error.code === 'no_smtputf8';

/** The mail without these addresses, and a list of them. Throws a `ClientError` if no recipient is left. */
export function inAscii<M extends Addresses>(mail: M): { readonly mail: M; readonly warning?: string } {
  if (!isInternational(mail)) return { mail };
  const { to, cc, bcc, replyTo } = mail;
  const isPlain = (mailbox: Mailbox) => !isBeyondAscii(mailbox);
  const plain = {
    to: to.filter(isPlain),
    cc: cc?.filter(isPlain),
    bcc: bcc?.filter(isPlain),
    replyTo: replyTo !== undefined && isPlain(replyTo) ? replyTo : undefined,
  };
  if (!hasPlainRecipient(mail)) throw failed('no_smtputf8');
  const keys = [
    plain.to.length < to.length && '`to`',
    plain.cc && plain.cc.length < (cc?.length ?? 0) && '`cc`',
    plain.bcc && plain.bcc.length < (bcc?.length ?? 0) && '`bcc`',
    plain.replyTo !== replyTo && '`reply_to`',
  ].filter((key) => typeof key === 'string');
  const warning = `the server does not accept addresses with non-ASCII characters before the @ (SMTPUTF8); these addresses were left out of ${keys.join(' and ')}`;
  return { mail: { ...mail, ...plain }, warning };
}

/** The bytes of UTF-8, one character per byte, as connections write them. */
export const inBytes = (text: string): string => Buffer.from(text).toString('latin1');
