import type { VisitorMailKey } from '../../base/event.ts';
import type { Form } from '../../form.ts';
import type { Output } from '../../outputs/output.ts';
import type { Path } from '../../schema/finding.ts';
import { confirmationMail } from './confirmation_mail.ts';
import { doubleOptIn } from './double_opt_in.ts';
import { resume } from './resume.ts';
import { resumeMail, type VisitorMail } from './visitor_mail.ts';

/** The mails that whoever fills in a form gets, by the key that asks for them. */
export const visitorMailsOf = (
  form: Pick<Form, 'features' | 'say' | 'id' | 'title'>,
): readonly (readonly [key: VisitorMailKey, mail: VisitorMail])[] =>
  [
    ['confirmation_mail', confirmationMail.of(form)] as const,
    ['double_opt_in', doubleOptIn.of(form)] as const,
    ['resume', mailToResume(form)] as const,
  ].flatMap(([key, mail]) => (mail ? [[key, mail] as const] : []));

const mailToResume = (form: Pick<Form, 'features' | 'say' | 'id' | 'title'>): VisitorMail | undefined => {
  const asked = resume.of(form);
  return asked && resumeMail(asked, form);
};

/** All that a form delivers through, with its place: its outputs, and servers that carry mails to visitors alone. */
export const everyOutput = (
  form: Pick<Form, 'features' | 'outputs' | 'say' | 'id' | 'title'>,
): readonly { readonly output: Output; readonly path: Path }[] => [
  ...form.outputs.map((output, index) => ({ output, path: ['outputs', index] })),
  ...visitorMailsOf(form).flatMap(([key, { through }]) =>
    typeof through === 'object' ? [{ output: through, path: [key, 'through'] }] : [],
  ),
];
