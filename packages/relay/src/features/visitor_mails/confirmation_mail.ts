import type { Sequel } from '../../form.ts';
import { optional } from '../../schema/keys.ts';
import { feature } from '../feature.ts';
import { confirmationMailSchema, visitorMailParts } from './mail_parts.ts';
import { mailWarnings, placedTemplates, type VisitorMail } from './visitor_mail.ts';
import { mailAfterwards } from './visitor_mailer.ts';

/** Mails whoever filled in the form that it was delivered, in their language. */
export const confirmationMail = feature({
  name: 'confirmation_mail',
  keys: {
    form: {
      confirmation_mail: optional(
        'A mail to whoever filled in the form, once the submission was delivered.',
        confirmationMailSchema,
      ),
    },
  },
  settings: ({ form }: { readonly form: { readonly confirmation_mail?: VisitorMail } }) =>
    form.confirmation_mail,
  // Mistakes of both mails: they share their checks.
  problems: ({ id, form }) => visitorMailParts.value?.problemsOf(id, form) ?? [],
  mailsTo: ({ to }) => to,
  templates: (mail) => placedTemplates('confirmation_mail', mail),
  warnings: (mail, form) => mailWarnings('confirmation_mail', mail, form),
  stages: () => ({ delivered: send }),
});

/** The answer doesn't wait for the mail, nor does its failure change it. */
const send: Sequel = async (form, submission, { byNobody, waitsFor }, tell, world) => {
  const reader = world.reader(form);
  const mail = confirmationMail.of(reader);
  if (!mail) return;
  if (byNobody) return tell({ kind: 'mail_withheld', mail: 'confirmation_mail', reason: 'taken_by_nobody' });
  if (waitsFor) return tell({ kind: 'mail_withheld', mail: 'confirmation_mail', reason: 'on_waiting_list' });
  await mailAfterwards(world, {
    key: 'confirmation_mail',
    id: `${submission.requestId}-confirmation`,
    mail,
    form: reader,
    submission,
    tell,
  });
};
