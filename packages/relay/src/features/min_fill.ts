import type { CheckEvidence } from '../base/event.ts';
import type { Outcome } from '../base/outcome.ts';
import { firstValue } from '../base/values.ts';
import type { Found } from '../form.ts';
import { parseDuration, secondsToMs } from '../schema/duration.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { choice, duration, isMap, name, number } from '../schema/kinds.ts';
import { doubtDoes, feature, mapOrNothing, namedAsFlag, timeInWords, type WrittenForm } from './feature.ts';
import { readToken } from './form_token/token.ts';

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
  /** The ending of faster submissions. Default: they are dropped. */
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
 * 2). Waiting done before the token was issued counts as elapsed, but does not age it. With `too_fast: doubt` a
 * submission that came too soon is doubted instead. Without FORM_TOKEN_SECRET it fails closed.
 */
export const minFill = feature({
  name: 'min_fill',
  isForBrowsers: true,
  keys: { spam: minFillKeys },
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
  reserves: ({ form: { spam } }) => {
    const { token_field: name = minFillKeys.token_field.default } = mapOrNothing(spam);
    return isMap(spam) && typeof name === 'string'
      ? [{ path: ['spam', 'token_field'], name, check: 'min_fill' }]
      : [];
  },
  problems: (written) => [...tokenLifetime(written), ...tooFastProblems(written)],
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
          // The page's script never reached the form, which is no sign of a bot.
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
  explain: (evidence: MinFillEvidence) => {
    switch (evidence.code) {
      case 'waited':
        return `sent ${timeInWords(evidence.filledMs)} after the form was shown; the least is ${timeInWords(evidence.leastMs)}`;
      case 'too_fast':
        return `sent after ${evidence.filledMs} ms; the least is ${evidence.leastMs} ms`;
      case 'token_expired':
        return `the form was shown longer ago than ${timeInWords(evidence.ttlMs)} (form_ttl)`;
      default:
        return words[evidence.code];
    }
  },
});

const check = 'min_fill';
const tokenMissing: Outcome = { kind: 'token_missing' };
const dropped: Outcome = { kind: 'dropped', by: check };
const ended = (evidence: CheckEvidence, ending: Outcome): Found => ({ evidence, ending });

type MinFillEvidence = Extract<CheckEvidence, { check: 'min_fill' }>;

const words = {
  token_missing: 'the token is missing',
  token_unknown: 'the token was not issued for this form with this FORM_TOKEN_SECRET',
  token_in_future: 'the token was issued in the future: compare the clocks of the copies',
  no_secret: 'FORM_TOKEN_SECRET is not set',
} as const;

/** SPEC: `form_ttl` must exceed `min_fill_seconds`. */
function tokenLifetime({ ownSpam }: WrittenForm): readonly Finding[] {
  const { form_ttl: ttl = minFillKeys.form_ttl.default, min_fill_seconds: minFill = '0' } = ownSpam;
  if (typeof ttl !== 'string' || typeof minFill !== 'string') return [];
  const parsed = parseDuration(ttl);
  const minFillSeconds = Number(minFill);
  if (!parsed.ok || !(parsed.value <= secondsToMs(minFillSeconds))) return [];
  const key = ownSpam.form_ttl === undefined ? 'min_fill_seconds' : 'form_ttl';
  return [finding('form_ttl_too_short', ['spam', key], { ttlMs: parsed.value, minFillSeconds })];
}

/** Something must be too fast, and a mark must say so. */
function tooFastProblems({ ownSpam, spam }: WrittenForm): readonly Finding[] {
  const path = ['spam', 'too_fast'];
  if (ownSpam.too_fast !== undefined && ownSpam.min_fill_seconds === undefined)
    return [{ ...finding('too_fast_without_min_fill', path), aboutKey: true }];
  return ownSpam.too_fast === 'doubt' && !doubtDoes(spam.doubt, 'tag')
    ? [finding('too_fast_without_tag', path)]
    : [];
}
