import type { Feature, MaybePromise, Outcome, Submission } from '@form-relay/core/index';
import { chain, feature, optional } from '@form-relay/core/kit';
import { confirmationMailSchema } from './keys.ts';
import { noteIn, type Withheld } from './mail.ts';
import type { Mailing } from './mailing.ts';
import { checkCopy, checkMail, writtenIn } from './problems.ts';
import { readerOf } from './reader.ts';
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
    configure: ({ form, fields, provided }, at) => {
      const { confirmation_mail: mail } = form;
      if (!mail) return undefined;
      const { confirmedTo, outputs } = writtenIn(form);
      const place = at.in('confirmation_mail');
      const isGuarded = provided.get('captcha') !== undefined || provided.get('min_fill') !== undefined;
      checkMail(mail, { fields, outputs, isGuarded }, place);
      checkCopy(mail, confirmedTo, fields, place);
      const concluded = (outcome: Outcome, submission: Submission): MaybePromise<Outcome> => {
        if (outcome.kind !== 'delivered') return outcome;
        const reason = whyWithheld(submission);
        if (reason) {
          noteIn(submission, 'confirmation_mail', reason);
          return outcome;
        }
        const id = `${submission.requestId}-confirmation`;
        const locale = readerOf(submission);
        const sent = mailing.afterwards({ key: 'confirmation_mail', id, mail, submission, locale });
        return sent.then(() => outcome);
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

interface Ended {
  readonly deliveries: readonly ({ readonly outcome: string } | undefined)[];
  readonly values: ReadonlyMap<string, unknown>;
}

function whyWithheld({ deliveries, values }: Ended): Withheld | undefined {
  if (values.has('_waiting')) return 'on_waiting_list';
  const isTaken = deliveries.some((one) => one && one.outcome !== 'failed' && one.outcome !== 'skipped');
  return deliveries.length > 0 && !isTaken ? 'taken_by_nobody' : undefined;
}
