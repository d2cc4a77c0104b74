import { noFiles } from '../../base/files.ts';
import type { Sequel } from '../../form.ts';
import { feature } from '../feature.ts';
import type { VisitorMail } from './visitor_mail.ts';
import { visitorMailer } from './visitor_mailer.ts';

/** Mails whoever filled in the form that it was delivered, in their language. */
export const confirmationMail = feature({
  name: 'confirmation_mail',
  settings: ({ form }: { readonly form: { readonly confirmation_mail?: VisitorMail } }) =>
    form.confirmation_mail,
  stages: () => ({ delivered: send }),
});

/** Nobody waits for it, and its failure is not theirs. */
const send: Sequel = async (form, submission, { byNobody }, tell, world) => {
  const reader = world.reader(form);
  const mail = confirmationMail.of(reader);
  if (!mail) return;
  if (byNobody) return tell({ kind: 'mail_withheld', mail: 'confirmation_mail', reason: 'taken_by_nobody' });
  try {
    const { prepare } = await visitorMailer(world);
    const prepared = await prepare({
      key: 'confirmation_mail',
      id: `${submission.requestId}-confirmation`,
      mail,
      form: reader,
      // It goes on after the answer, when the memory of files is given back (D92).
      submission: { ...submission, files: noFiles },
      until: world.request.livesOn ? Infinity : submission.deadline,
      tell,
    });
    if (prepared.ok) await world.afterwards(async () => void (await prepared.value()));
  } catch (error) {
    // What was delivered stays delivered, whatever bug comes after it.
    tell({ kind: 'broken', error });
  }
};
