/** Mails to those who fill in a form, as the config asks for them. */
import type { Form, Submission } from '@form-relay/core/index';
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

export type MailKey = 'confirmation_mail' | 'double_opt_in' | 'verification_mail' | 'registered_mail';

/** Why a visitor gets no mail, and nothing is wrong: in words for the owner. */
export const withheldWords = {
  taken_by_nobody: 'no output has the submission, so that there is nothing to confirm',
  no_address: 'the field holds no address, or more than one',
  automatic_address: 'a program, a list or nobody reads what is sent to such an address',
  address_had_one: 'the address had one within the hour',
  client_had_share: 'the client, or its network, had its share of `per_hour` within the hour',
  per_hour_reached: 'the form has sent `per_hour` of them within the hour',
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
