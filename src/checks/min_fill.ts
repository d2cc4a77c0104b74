import type { Outcome } from '../outcome.ts';
import { firstValue } from '../values.ts';
import type { Check } from './check.ts';
import { readToken } from './token.ts';

/**
 * The token must be genuine and `min_fill_seconds` <= elapsed <= `form_ttl`, in milliseconds (SPEC: Submission rules
 * 2). Waiting done before the token was issued counts as elapsed, but does not age it (D7).
 */
export const minFill: Check = (submission, { form, settings }) => {
  const rule = form.spam?.minFill;
  if (!rule) return undefined;
  const secret = settings.formTokenSecret;
  if (secret === '') return { kind: 'no_token_secret' };
  const sent = firstValue(submission.values, rule.tokenField);
  if (sent === '') return dropped('the token is missing');
  const token = readToken(secret, form.id, sent);
  if (!token) return dropped('the token was not issued for this form with this FORM_TOKEN_SECRET');
  const ageMs = submission.receivedAt - token.issuedAt;
  if (ageMs > rule.ttlMs) return { kind: 'expired' };
  if (ageMs < 0) return dropped('the token was issued in the future: compare the clocks of the copies');
  const filledMs = ageMs + token.waitedMs;
  if (filledMs < rule.minFillMs)
    return dropped(`sent after ${filledMs} ms; the least is ${rule.minFillMs} ms`);
  return undefined;
};

const dropped = (reason: string): Outcome => ({ kind: 'dropped', by: 'min_fill', reason });
