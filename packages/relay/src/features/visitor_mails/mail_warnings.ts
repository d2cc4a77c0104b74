import type { VisitorMailKey } from '../../base/event.ts';
import type { Form } from '../../form.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { captcha } from '../captcha/captcha.ts';
import { minFill } from '../min_fill.ts';
import type { VisitorMail } from './visitor_mail.ts';

/** A honeypot keeps out bots that fill in any form, and not those that aim at this one. */
export function mailWarnings(
  key: VisitorMailKey,
  { through }: Pick<VisitorMail, 'through'>,
  form: Form,
): readonly Finding[] {
  const ofCarrier = typeof through === 'object' ? through.warnings : [];
  return [
    ...(captcha.of(form) || minFill.of(form) ? [] : [finding('visitor_mail_unguarded', [key])]),
    ...ofCarrier.map((one) => ({ ...one, path: [key, 'through', ...one.path] })),
  ];
}
