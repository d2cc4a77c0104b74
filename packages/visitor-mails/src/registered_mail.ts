import type { Feature, Submission } from '@form-relay/core/index';
import { feature, isMap, Template } from '@form-relay/core/kit';
import { readerOf, type VisitorMail } from './mail.ts';
import type { Mailing } from './mailing.ts';

type Sender = Pick<VisitorMail, 'from' | 'reply_to' | 'through'>;

const isMail = (value: unknown): value is VisitorMail => isMap(value) && 'per_hour' in value;

/** Tells the owner of an address, and nobody else, that it has registered before (`once`). It says nothing that a visitor wrote. */
export const registeredMail = (mailing: Mailing): Feature =>
  feature({
    name: 'registered_mail',
    before: ['places'],
    configure: ({ form }) => {
      const { once, confirmation_mail: copy, double_opt_in: optIn }: Readonly<Record<string, unknown>> = form;
      if (once === undefined) return undefined;
      // From the sender of the form's other mails to visitors.
      const sender: Sender = [copy, optIn].find(isMail) ?? {};
      return {
        provides: (submission, field) =>
          mailing.afterwards({ key: 'once', mail: mailOf(field, sender, submission), submission }),
      };
    },
  });

function mailOf(to: string, { from, reply_to, through }: Sender, submission: Submission): VisitorMail {
  const { form } = submission;
  const { translate, text } = readerOf(submission);
  const params = { form: form.title === undefined ? form.id : text(form.title) };
  return {
    to,
    subject: plain(translate({ code: 'registered_subject', params })),
    text: { template: plain(translate({ code: 'registered_text', params })), links: [] },
    html: false,
    per_hour: 100,
    ...(from !== undefined && { from }),
    ...(reply_to && { reply_to }),
    ...(through !== undefined && { through }),
  };
}

const plain = (words: string) => new Template(words, words);
