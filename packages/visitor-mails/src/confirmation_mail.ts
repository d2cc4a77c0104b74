/** Mails sent after the response: that a submission was delivered, or that the address has registered before. */

import { chain } from '@form-relay/base/maybe_promise';
import type { Feature, MaybePromise, Message, Outcome, Submission } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import type { MailBody } from '@form-relay/more-outputs/html_mail';
import { isMap, optional } from '@form-relay/schema/schema';
import { Template } from '@form-relay/schema/template';
import { checkCopy, checkMail, confirmationMailSchema, type VisitorMail } from './keys.ts';
import { noOutputSucceeded, noteIn } from './mail.ts';
import type { Mailing } from './mailing.ts';

export const confirmationMail = (mailing: Mailing): Feature =>
  feature({
    name: 'confirmation_mail',
    after: ['captcha', 'min_fill'],
    keys: {
      form: {
        confirmation_mail: optional('Mail to the visitor after delivery.', confirmationMailSchema),
      },
    },
    configure: (context, at) => {
      const { confirmation_mail: mail } = context.form;
      if (!mail) return undefined;
      const place = at.in('confirmation_mail');
      checkMail(mail, context, place);
      checkCopy(mail, context, place);
      const concluded = (outcome: Outcome, submission: Submission): MaybePromise<Outcome> => {
        if (outcome.kind !== 'delivered') return outcome;
        if (noOutputSucceeded(submission)) {
          noteIn(submission, 'confirmation_mail', 'taken_by_nobody');
          return outcome;
        }
        const button = changeButton(outcome, submission);
        return mailing.afterwards({ key: 'confirmation_mail', mail, submission, button }).then(() => outcome);
      };
      return {
        provides: mail,
        // The response does not wait for the mail, and does not change if the mail fails or the address is invalid.
        afterValidation: (next) => (submission) =>
          chain(next(submission), (outcome) => concluded(outcome, submission)),
      };
    },
  });

/** The link with which the visitor can change or withdraw the submission. */
function changeButton({ codes }: Outcome, { form, request }: Submission): MailBody['button'] {
  const words = form.locale(request).translate({ code: 'changes' });
  return codes?.changes === undefined ? undefined : { words, href: codes.changes };
}

type Sender = Partial<Pick<VisitorMail, 'from' | 'reply_to' | 'through'>>;

/** The sender of the form's mails to visitors. */
export const senderIn = (form: object): Sender => {
  const { confirmation_mail: copy, double_opt_in: optIn }: Readonly<Record<string, unknown>> = { ...form };
  return [copy, optIn].find(isMail) ?? {};
};

const isMail = (value: unknown): value is VisitorMail => isMap(value) && 'per_hour' in value;

/** Tells only the owner of an address that it has registered before (`once`). The mail contains nothing that a visitor wrote. */
export const registeredMail = (mailing: Mailing): Feature =>
  feature({
    name: 'registered_mail',
    before: ['places'],
    configure: ({ form }, at) => {
      if (at.in('once').written === undefined) return undefined;
      const sender = senderIn(form);
      return {
        provides: (submission, field) =>
          mailing.afterwards({
            key: 'registered_mail',
            mail: mailInOwnWords('registered', field, sender, submission),
            submission,
          }),
      };
    },
  });

/** A mail with the texts `<name>_subject` and `<name>_text`. */
export function mailInOwnWords(
  name: string,
  to: string,
  { from, reply_to, through }: Sender,
  submission: Submission,
  more?: Message['params'],
): VisitorMail {
  const { form, request } = submission;
  const { translate, text } = form.locale(request);
  const params = { form: form.title === undefined ? form.id : text(form.title), ...more };
  return {
    to,
    subject: plain(translate({ code: `${name}_subject`, params })),
    text: plain(translate({ code: `${name}_text`, params })),
    html: false,
    footer: undefined,
    from,
    reply_to,
    through,
    per_hour: 100,
  };
}

const plain = (words: string) => new Template(words, words);
