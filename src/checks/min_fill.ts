import type { Submission } from '../form.ts';
import { type CheckContext, type CheckResult, firstValue, strip } from './check.ts';
import { readToken } from './token.ts';

/**
 * The token must be genuine and `min_fill_seconds` <= elapsed <= `form_ttl`, in milliseconds (SPEC: Submission rules
 * 2). Waiting done before the token was issued counts as elapsed, but does not age it (D7).
 */
export function minFill(submission: Submission, { form, settings }: CheckContext): CheckResult {
  const rule = form.spam?.minFill;
  if (!rule) return { pass: submission };
  const secret = settings.formTokenSecret;
  if (secret === '') return { end: { kind: 'no_token_secret' } };
  const token = readToken(secret, form.id, firstValue(submission.values, rule.tokenField));
  if (!token) return { end: { kind: 'dropped', by: 'min_fill' } };
  const ageMs = submission.receivedAt - token.issuedAt;
  if (ageMs > rule.ttlMs) return { end: { kind: 'expired' } };
  if (ageMs < 0 || ageMs + token.waitedMs < rule.minFillMs)
    return { end: { kind: 'dropped', by: 'min_fill' } };
  return { pass: strip(submission, rule.tokenField) };
}
