/** What a form's mails to visitors are made of is read when a config names one. */
import * as v from 'valibot';
import type { Finding } from '../../base/config_finding.ts';
import type { VisitorMailKey } from '../../base/event.ts';
import type { AnySchema, Schema } from '../../schema/any_schema.ts';
import type { DoubleOptIn, VisitorMail } from './visitor_mail.ts';

type Late = typeof import('./late.ts');
let late: Late | undefined;

export const visitorMailNames: readonly VisitorMailKey[] = ['confirmation_mail', 'double_opt_in'];

/** `mayName`: whether the config's text may have this in it. */
export async function loadVisitorMails(mayName: (name: string) => boolean): Promise<void> {
  if (visitorMailNames.some(mayName)) late = await import('./late.ts');
}

const unread = v.never() as AnySchema as Schema<never>;

/** What stands under each of the keys. */
export const confirmationMail: Schema<VisitorMail> = v.lazy(() => late?.confirmationMailSchema ?? unread);

export const doubleOptIn: Schema<DoubleOptIn> = v.lazy(() => late?.doubleOptInSchema ?? unread);

/** What is wrong between these and the other keys of a form, which is read as it is written. */
export const visitorMailProblems = (
  id: string,
  form: Readonly<Record<string, unknown>>,
): readonly Finding[] => late?.problemsOf(id, form) ?? [];
