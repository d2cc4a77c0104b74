import { firstValue } from '@form-relay/base/values';
import type { Outcome, Plugin, Submission } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { dropped, guard, noTokenSecret } from '@form-relay/core/submission';
import { inUnits, secondsToMs, timeInWords } from '@form-relay/schema/duration';
import { duration, name, number, optional, withDefault } from '@form-relay/schema/kinds';
import { warnIfBoolean } from '@form-relay/schema/scalars';
import { readToken, type TokenUse } from './form_token.ts';
import { isExcused } from './state.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly min_fill: { readonly formToken: TokenUse };
  }
}

const spamKeys = {
  min_fill_seconds: optional(
    'Minimum time to fill in the form; `too_fast` sets the action for faster submissions. Submissions without a valid token are dropped. Needs FORM_TOKEN_SECRET.',
    number({ least: 0 }),
  ),
  form_ttl: optional('How long a form can stay open before it is sent. Default: `2h`.', duration()),
  token_field: withDefault('_ts', 'Hidden field with the token that holds the time.', name()),
};

const twoHoursMs = 7_200_000;

/** Set to `true` before the check: submissions that were sent too fast pass, and `filledInMs` says how fast. */
export const mayBeTooFast = Symbol('may be too fast');
/** How long the visitor took to fill in the form, in milliseconds. Set only on submissions that passed despite being too fast. */
export const filledInMs = Symbol('filled in within');

const expired: Outcome = { kind: 'expired', status: 422, message: { code: 'form_expired' }, by: 'min_fill' };
const tokenMissing: Outcome = {
  kind: 'token_missing',
  status: 422,
  message: { code: 'try_again' },
  by: 'min_fill',
  why: 'the token is missing',
};
const missing = dropped('min_fill', 'the token is missing');
const unknown = dropped('min_fill', 'the token was not issued for this form with this FORM_TOKEN_SECRET');
const inFuture = 'the token was issued in the future: check the clocks of all copies';

/**
 * The token must be genuine and `min_fill_seconds` <= elapsed <= `form_ttl` (SPEC: Submission rules 2). A wait before
 * the token was issued counts as elapsed, but does not make the token older. Without FORM_TOKEN_SECRET it fails closed.
 */
const minFill = feature({
  name: 'min_fill',
  after: ['honeypot', 'too_fast'],
  before: ['captcha', 'form_token'],
  keys: { spam: spamKeys },
  configure: ({ spam, provided }, at) => {
    const { min_fill_seconds: seconds = 0, form_ttl, token_field: field } = spam;
    const ttlMs = form_ttl ?? twoHoursMs;
    const place = at.in('spam');
    const minFillMs = secondsToMs(seconds);
    if (ttlMs <= minFillMs)
      place
        .in(form_ttl === undefined ? 'min_fill_seconds' : 'form_ttl')
        .error(
          `form_ttl is ${inUnits(ttlMs)} and min_fill_seconds ${seconds}: a form would expire before it may be sent`,
        );
    if (field === undefined) return undefined;
    warnIfBoolean(field, place.in('token_field'), 'the min-fill token', '_ts');
    const reserved = {
      reserves: [{ name: field, key: ['spam', 'token_field'], what: 'the min-fill token' }],
    };
    // The name stays reserved while the check is off.
    if (seconds === 0) return reserved;
    if (!('too_fast' in spam))
      place
        .in('min_fill_seconds')
        .warning(
          `a message sent within ${seconds} s is dropped, although its sender is thanked, even if a browser filled in the form for a person; write too_fast: doubt, with doubt: tag, to deliver it with a mark, or too_fast: drop to confirm this`,
        );
    place.in('min_fill_seconds').needsEnv('FORM_TOKEN_SECRET');
    const use: TokenUse = { field, ttlMs, minFillMs };
    return {
      ...reserved,
      provides: { formToken: use },
      cards: [
        {
          name: 'min-fill',
          says: `${provided.get('too_fast') ? 'doubts' : 'drops'} submissions sent within ${seconds} s; the form expires after ${timeInWords(ttlMs)}`,
          withoutBrowser: ', without a min-fill token, so the submission is dropped',
        },
      ],
      browsersOnly: true,
      beforeValidation: guard((submission) =>
        isExcused(submission, true) ? undefined : check(submission, field, minFillMs, ttlMs),
      ),
    };
  },
});

function check(submission: Submission, field: string, minFillMs: number, ttlMs: number): Outcome | undefined {
  const { sent, settings, receivedAt, formId } = submission;
  const { formTokenSecret: secret } = settings;
  if (secret === '') return noTokenSecret;
  const value = firstValue(sent, field);
  // The page's script never ran, which does not indicate a bot.
  if (value === '') return submission.isFromOwnPage ? tokenMissing : missing;
  const token = readToken(secret, formId, value);
  if (!token) return unknown;
  const ageMs = receivedAt - token.issuedAt;
  if (ageMs > ttlMs) {
    submission.trace?.note(`the form was shown longer ago than ${timeInWords(ttlMs)} (form_ttl)`);
    return expired;
  }
  // The age is negative if the clock of the copy that issued the token is ahead, or if this clock was set back.
  const filledMs = ageMs < 0 ? 0 : ageMs + token.waitedMs;
  if (ageMs >= 0 && filledMs >= minFillMs) {
    submission.trace?.note(
      `sent ${filledMs / 1_000} s after the form was shown; the minimum is ${minFillMs / 1_000} s`,
    );
    return undefined;
  }
  if (submission.getState(mayBeTooFast)) {
    submission.trace?.note(
      `${ageMs < 0 ? inFuture : tooFast(filledMs, minFillMs)}; the submission is in doubt, not dropped (too_fast: doubt)`,
    );
    submission.setState(filledInMs, filledMs);
    return undefined;
  }
  return dropped('min_fill', ageMs < 0 ? inFuture : tooFast(filledMs, minFillMs));
}

const tooFast = (filledMs: number, minFillMs: number) =>
  `sent after ${filledMs} ms; the minimum is ${minFillMs} ms`;

/** The token's name is reserved even while the check is off, so each form with `spam` loads this plug-in. */
export const uses = ['form spam'];

export const plugin: Plugin = { name: 'min_fill', features: [minFill] };
