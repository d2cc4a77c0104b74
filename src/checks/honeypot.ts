import type { Submission } from '../form.ts';
import { type CheckContext, type CheckResult, strip } from './check.ts';

const dropped = { kind: 'dropped', by: 'honeypot', reason: 'the decoy field was filled' } as const;

/** Any non-empty value in the decoy field ends the submission (SPEC: Submission rules 1). */
export function honeypot(submission: Submission, { form }: CheckContext): CheckResult {
  const decoy = form.spam?.honeypot;
  if (decoy === undefined) return { pass: submission };
  const isFilled = submission.values.get(decoy)?.some((value) => value !== '') ?? false;
  return isFilled ? { end: dropped } : { pass: strip(submission, decoy) };
}
