import type { Effects } from '../effects.ts';
import type { Form, Submission, Values } from '../form.ts';
import type { Outcome } from '../outcome.ts';
import type { Settings } from '../settings.ts';

/** What every check may look at. */
export interface CheckContext {
  readonly form: Form;
  readonly settings: Settings;
  readonly effects: Effects;
}

/** A check passes a submission on, without the fields that are its own, or ends it. */
export type CheckResult = { readonly pass: Submission } | { readonly end: Outcome };

/** The submission without a field that belongs to a check: it reaches neither validation nor any output. */
export function strip(submission: Submission, field: string): Submission {
  if (!submission.values.has(field)) return submission;
  const values = new Map(submission.values);
  values.delete(field);
  return { ...submission, values };
}

/** The first value of a field; empty when it was not sent. */
export const firstValue = (values: Values, field: string): string => values.get(field)?.[0] ?? '';
