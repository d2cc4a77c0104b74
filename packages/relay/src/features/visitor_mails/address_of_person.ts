import { domainOf } from '../../base/address.ts';

/** Mailboxes in which a dot before the `@` means nothing. */
const dotless = ['gmail.com', 'googlemail.com'];

/**
 * The same address for all that reach one mailbox, as far as anybody knows: in lower case, without `+tag`, and of Gmail
 * without dots. For comparisons alone: no mail goes to it.
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

export const isAutomatic = (address: string): boolean => {
  const [local = ''] = plainAddressOf(address).split('@');
  return automatic.test(local) || automatic.test(address.slice(0, address.lastIndexOf('@')).toLowerCase());
};
