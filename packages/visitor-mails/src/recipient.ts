import { domainOf, parseSubmittedAddress } from '@form-relay/base/address';
import { withoutEmpty } from '@form-relay/base/values';
import type { Outcome, Submission } from '@form-relay/core/index';
import { invalid } from '@form-relay/core/pipeline/validate';

type NoRecipient = 'no_address' | 'automatic_address';

/** The visitor’s address, unless a mail there would reach no person. */
export function recipientOf(
  field: string,
  { values }: Pick<Submission, 'values'>,
): { readonly address: string } | NoRecipient {
  const [submitted = '', ...more] = withoutEmpty(values.get(field) ?? []);
  const address = more.length === 0 ? parseSubmittedAddress(submitted.trim()) : undefined;
  if (address === undefined) return 'no_address';
  return isAutomatic(address) ? 'automatic_address' : { address };
}

/** Mailboxes in which a dot before the `@` means nothing. */
const dotless = ['gmail.com', 'googlemail.com'];

/**
 * Maps all spellings that reach a mailbox to a single address: without case, `+tag`, and dots at Gmail. To compare, not
 * to mail to.
 */
export function plainAddressOf(address: string): string {
  const domain = domainOf(address);
  const local = address.slice(0, address.lastIndexOf('@')).toLowerCase();
  const untagged = local.replace(/(?<=.)\+.*$/s, '');
  return dotless.includes(domain) ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${domain}`;
}

/** Local parts of programs and lists, which must get no automatic answer (RFC 3834, 2), and of unread mailboxes. */
const automatic =
  /^(mailer-?daemon|postmaster|(no|do-?not)[._-]?reply|bounces?|listserv|majordomo|mailman|mdaemon|auto-?reply|autoresponder)$|^(bounces?|owner|noreply|no-reply)[-+_=]|-(request|owner|bounces?)$/;

const isAutomatic = (address: string): boolean => {
  const [local = ''] = plainAddressOf(address).split('@');
  return automatic.test(local) || automatic.test(address.slice(0, address.lastIndexOf('@')).toLowerCase());
};

/** An optional address may be left empty. */
export function addressError(field: string, submission: Pick<Submission, 'values'>): Outcome | undefined {
  const isEmpty = withoutEmpty(submission.values.get(field) ?? []).length === 0;
  return !isEmpty && recipientOf(field, submission) === 'no_address'
    ? invalid([{ field, code: 'no_mail_address' }])
    : undefined;
}
