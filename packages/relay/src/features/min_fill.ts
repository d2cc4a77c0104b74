import type { CheckEvidence } from '../base/event.ts';
import type { Outcome } from '../base/outcome.ts';
import { firstValue } from '../base/values.ts';
import type { Found } from '../form.ts';
import { secondsToMs } from '../schema/duration.ts';
import { finding } from '../schema/finding.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { choice, duration, name, number } from '../schema/kinds.ts';
import { feature, namedAsFlag } from './feature.ts';
import { readToken } from './token.ts';

export const minFillKeys = {
  min_fill_seconds: optional(
    'How long filling in the form takes at least; `too_fast` says what becomes of faster submissions. Without a valid token, a submission is dropped. Needs FORM_TOKEN_SECRET in the environment. 0 switches it off.',
    number({ least: 0 }),
  ),
  too_fast: optional(
    'What becomes of a submission faster than `min_fill_seconds`: `drop` thanks the visitor and delivers nothing; `doubt` adds the points of `doubt`’s `tag`, so that it is delivered with a mark (docs/spam.md). Default: `drop`.',
    choice(['drop', 'doubt']),
  ),
  form_ttl: withDefault('2h', 'How old a min-fill token may be.', duration()),
  token_field: withDefault('_ts', 'Name of the hidden field that carries the min-fill token.', name()),
};

export interface MinFill {
  readonly minFillMs: number;
  /** What becomes of faster submissions; `undefined`: the config does not say, so they are dropped. */
  readonly tooFast: 'drop' | 'doubt' | undefined;
  readonly ttlMs: number;
  readonly tokenField: string;
}

export interface Keys {
  readonly spam?: {
    readonly min_fill_seconds?: number;
    readonly too_fast?: 'drop' | 'doubt';
    readonly form_ttl: number;
    readonly token_field: string;
  };
}

/**
 * The token must be genuine and `min_fill_seconds` <= elapsed <= `form_ttl`, in milliseconds (SPEC: Submission rules
 * 2). Waiting done before the token was issued counts as elapsed, but does not age it (D7). With `too_fast: doubt` a
 * submission that came too soon is doubted instead (D176). Without FORM_TOKEN_SECRET it fails closed.
 */
export const minFill = feature({
  name: 'min_fill',
  check: { key: 'spam.min_fill_seconds' },
  settings: ({ form: { spam } }: { readonly form: Keys }): MinFill | undefined =>
    spam?.min_fill_seconds
      ? {
          minFillMs: secondsToMs(spam.min_fill_seconds),
          tooFast: spam.too_fast,
          ttlMs: spam.form_ttl,
          tokenField: spam.token_field,
        }
      : undefined,
  names: ({ tokenField }) => [tokenField],
  needs: () => [{ name: 'FORM_TOKEN_SECRET', path: ['spam', 'min_fill_seconds'] }],
  warnings: ({ tooFast, minFillMs, tokenField }) => [
    ...namedAsFlag('token_field', tokenField, 'min_fill'),
    ...(tooFast === undefined
      ? [finding('too_fast_dropped', ['spam', 'min_fill_seconds'], { seconds: minFillMs / 1_000 })]
      : []),
  ],
  stages: ({ tokenField, minFillMs, ttlMs, tooFast }) => {
    const tooYoung = (evidence: CheckEvidence, tooFastMs: number): Found =>
      tooFast === 'doubt' ? { evidence, tooFastMs } : ended(evidence, dropped);
    return {
      check: ({ submission, form, settings }) => {
        const secret = settings.formTokenSecret;
        if (secret === '') return ended({ check, code: 'no_secret' }, { kind: 'no_token_secret' });
        const sent = firstValue(submission.values, tokenField);
        if (sent === '') {
          // The page's script never reached the form, which is no sign of a bot (D75).
          const ending = submission.endsOnPage ? tokenMissing : dropped;
          return ended({ check, code: 'token_missing' }, ending);
        }
        const token = readToken(secret, form.id, sent);
        if (!token) return ended({ check, code: 'token_unknown' }, dropped);
        const ageMs = submission.receivedAt - token.issuedAt;
        if (ageMs > ttlMs) return ended({ check, code: 'token_expired', ttlMs }, { kind: 'expired' });
        // The clock of the copy that issued it is ahead, or this one was set back.
        if (ageMs < 0) return tooYoung({ check, code: 'token_in_future' }, 0);
        const filledMs = ageMs + token.waitedMs;
        return filledMs >= minFillMs
          ? { evidence: { check, code: 'waited', filledMs, leastMs: minFillMs } }
          : tooYoung({ check, code: 'too_fast', filledMs, leastMs: minFillMs }, filledMs);
      },
    };
  },
});

const check = 'min_fill';
const tokenMissing: Outcome = { kind: 'token_missing' };
const dropped: Outcome = { kind: 'dropped', by: check };
const ended = (evidence: CheckEvidence, ending: Outcome): Found => ({ evidence, ending });
