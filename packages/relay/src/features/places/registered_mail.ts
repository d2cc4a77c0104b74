import type { Listener } from '../../base/event.ts';
import type { Checked } from '../../base/submission.ts';
import type { Form, World } from '../../form.ts';
import { Template } from '../../schema/template/render.ts';
import { confirmationMail } from '../visitor_mails/confirmation_mail.ts';
import { doubleOptIn } from '../visitor_mails/double_opt_in.ts';
import type { VisitorMail } from '../visitor_mails/visitor_mail.ts';
import { mailAfterwards } from '../visitor_mails/visitor_mailer.ts';
import type { Once } from './claims.ts';

/** Tells the owner of an address, and nobody else, that it has registered before. It says nothing that a visitor wrote. */
export async function mailRegistered(
  { by }: Once,
  form: Form,
  submission: Checked,
  { tell, world }: { readonly tell: Listener; readonly world: World },
): Promise<void> {
  const reader = world.reader(form);
  await mailAfterwards(world, {
    key: 'once',
    id: `${submission.requestId}-once`,
    mail: mailOf(by, reader),
    form: reader,
    submission,
    tell,
  });
}

/** From the sender of the form's other mails to visitors. */
function mailOf(to: string, form: Form): VisitorMail {
  const { say, title, id } = form;
  const { from, reply_to, through } = confirmationMail.of(form) ?? doubleOptIn.of(form) ?? {};
  const params = { form: title ?? id };
  return {
    to,
    subject: plain(say({ code: 'registered_subject', params })),
    text: [plain(say({ code: 'registered_text', params }))],
    html: false,
    per_hour: 100,
    ...(from !== undefined && { from }),
    ...(reply_to && { reply_to }),
    ...(through !== undefined && { through }),
  };
}

const plain = (words: string) => new Template(words, words);
