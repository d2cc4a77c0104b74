import type { CheckEvidence } from '../base/event.ts';
import type { Outcome } from '../base/outcome.ts';
import { firstValue } from '../base/values.ts';
import type { Check, Examined } from './check.ts';
import { readToken } from './token.ts';

/**
 * The token must be genuine and `min_fill_seconds` <= elapsed <= `form_ttl`, in milliseconds (SPEC: Submission rules
 * 2). Waiting done before the token was issued counts as elapsed, but does not age it (D7). With `too_fast: doubt` a
 * submission that came too soon is doubted instead (D176). Without FORM_TOKEN_SECRET it fails closed.
 */
export const minFill: Check = {
  name: 'min_fill',
  key: 'spam.min_fill_seconds',
  isOn: ({ spam }) => spam?.minFill !== undefined,
  examine: (submission, { form, settings }) => {
    const { tokenField = '', minFillMs = 0, ttlMs = 0, tooFast } = form.spam?.minFill ?? {};
    const secret = settings.formTokenSecret;
    if (secret === '') return ended({ check, code: 'no_secret' }, { kind: 'no_token_secret' });
    const sent = firstValue(submission.values, tokenField);
    if (sent === '') {
      // Of a form that its page's script never reached, which is no sign of a bot (D75).
      const ending = submission.endsOnPage ? tokenMissing : dropped;
      return ended({ check, code: 'token_missing' }, ending);
    }
    const token = readToken(secret, form.id, sent);
    if (!token) return ended({ check, code: 'token_unknown' }, dropped);
    const ageMs = submission.receivedAt - token.issuedAt;
    if (ageMs > ttlMs) return ended({ check, code: 'token_expired', ttlMs }, { kind: 'expired' });
    const tooYoung = (evidence: CheckEvidence, tooFastMs: number) =>
      tooFast === 'doubt' ? { evidence, tooFastMs } : ended(evidence, dropped);
    // The clock of the copy that issued it is ahead, or this one was set back.
    if (ageMs < 0) return tooYoung({ check, code: 'token_in_future' }, 0);
    const filledMs = ageMs + token.waitedMs;
    return filledMs >= minFillMs
      ? { evidence: { check, code: 'waited', filledMs, leastMs: minFillMs } }
      : tooYoung({ check, code: 'too_fast', filledMs, leastMs: minFillMs }, filledMs);
  },
};

const check = 'min_fill';
const tokenMissing: Outcome = { kind: 'token_missing' };
const dropped: Outcome = { kind: 'dropped', by: check };
const ended = (evidence: CheckEvidence, ending: Outcome): Examined => ({ evidence, ending });
