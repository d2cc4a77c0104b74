/** Mails to those who fill in a form, as the config asks for them. */

import { domainOf, parseSubmittedAddress } from '@form-relay/base/address';
import { withoutEmpty } from '@form-relay/base/values';
import type { Form, Outcome, Submission } from '@form-relay/core/index';
import { invalid } from '@form-relay/core/pipeline/validate';
import type { VisitorMail } from './keys.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    confirmation_mail: SentMail;
  }
}

/** How the mails of a form that asks for some are sent, by the key that asks for them. */
export const mailsOf = ({ provided }: Pick<Form, 'provided'>): readonly (readonly [MailKey, SentMail])[] =>
  (
    [
      ['confirmation_mail', provided.get('confirmation_mail')],
      ['double_opt_in', provided.get('double_opt_in')?.config],
      ['verification_mail', provided.get('verify')?.mail],
    ] as const
  ).flatMap(([key, mail]) => (mail ? [[key, mail] as const] : []));

export type SentMail = Pick<VisitorMail, 'from' | 'through'>;

/** The key that asks for a mail, or the name of what sends it. */
export type MailKey = string;

/** Whether visitors wait for what is in it. */
export const isAwaited = (key: MailKey): boolean => key !== 'confirmation_mail' && key !== 'registered_mail';

/** Why a visitor gets no mail, and nothing is wrong: in words for the owner. */
export const withheldWords = {
  taken_by_nobody: 'no output received the submission, so there is nothing to confirm',
  no_address: 'the field has no address, or more than one',
  automatic_address: 'the address belongs to a program, a list or no one',
  address_had_one: 'the address already got a mail this hour',
  client_had_share: 'the client or its network has used its share of `per_hour`',
  per_hour_reached: 'the form has reached `per_hour`',
} as const;

export type Withheld = keyof typeof withheldWords;

/** The line of the submission says why its visitor gets no mail. */
export function noteIn(submission: Submission, key: MailKey, withheld: Withheld): void {
  submission.addLogFields({ [key]: withheld });
  submission.trace?.note(`${key}: ${withheldWords[withheld]}`);
}

/** Whether outputs got it, and none of them took it. */
export function noOutputSucceeded({ deliveries }: Pick<Submission, 'deliveries'>): boolean {
  const isTaken = deliveries.some((one) => one && one.outcome !== 'failed' && one.outcome !== 'skipped');
  return deliveries.length > 0 && !isTaken;
}

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
