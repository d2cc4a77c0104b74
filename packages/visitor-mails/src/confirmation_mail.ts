import type { Feature, MaybePromise, Outcome, Submission } from '@form-relay/core/index';
import { chain, feature, optional } from '@form-relay/core/kit';
import { confirmationMailSchema } from './keys.ts';
import { isByNobody, noteIn, type Withheld } from './mail.ts';
import type { Mailing } from './mailing.ts';
import { checkCopy, checkMail } from './problems.ts';
import { addressError } from './recipient.ts';

export const confirmationMail = (mailing: Mailing): Feature =>
  feature({
    name: 'confirmation_mail',
    after: ['captcha', 'min_fill'],
    keys: {
      form: {
        confirmation_mail: optional(
          'A mail to whoever filled in the form, once the submission was delivered.',
          confirmationMailSchema,
        ),
      },
    },
    configure: (asked, at) => {
      const { confirmation_mail: mail } = asked.form;
      if (!mail) return undefined;
      const place = at.in('confirmation_mail');
      checkMail(mail, asked, place);
      checkCopy(mail, asked, place);
      const concluded = (outcome: Outcome, submission: Submission): MaybePromise<Outcome> => {
        if (outcome.kind !== 'delivered') return outcome;
        const reason = whyWithheld(submission);
        if (reason) {
          noteIn(submission, 'confirmation_mail', reason);
          return outcome;
        }
        return mailing.afterwards({ key: 'confirmation_mail', mail, submission }).then(() => outcome);
      };
      return {
        provides: mail,
        // The answer doesn't wait for the mail, nor does its failure change it.
        afterValidation: (next) => (submission) =>
          addressError(mail.to, submission) ??
          chain(next(submission), (outcome) => concluded(outcome, submission)),
      };
    },
  });

const whyWithheld = (submission: Submission): Withheld | undefined => {
  if (submission.values.has('_waiting')) return 'on_waiting_list';
  return isByNobody(submission) ? 'taken_by_nobody' : undefined;
};
