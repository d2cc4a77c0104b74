import type { FormMarkup, FormView, Html } from '@form-relay/core/index';
import { attributes, fieldElementId, firstValue, html, partId, withOwn } from '@form-relay/core/kit';
import { answerFor, typedNumber } from './challenge.ts';
import { askedOf, type ChallengeAsked, isChallenged } from './challenged.ts';
import type { Proof } from './index.ts';

/**
 * Below the line that says why, above the button: what is asked for is read after the reason and before sending. A captcha has
 * another way beside it, for whoever cannot see it, or whose browser or network keeps it out (WCAG 1.1.1).
 *
 * @param token The value of the fresh token, which the number to type follows from.
 */
export function challengeMarkup(
  proof: Proof,
  view: FormView,
  token: string,
  widget: (isOnlyWay: boolean) => Html | undefined,
): FormMarkup {
  const { outcome, sent, settings, form, locale } = view;
  const asks = askedOf(proof, outcome, sent);
  if (!asks || !settings) return {};
  const takesNumber = proof.withoutScript !== 'refuse';
  const shown = asks === 'captcha' ? widget(!takesNumber) : undefined;
  if (!takesNumber)
    return {
      challenge: shown
        ? html`${shown}\n`
        : html`<noscript><p>${locale.translate({ code: 'script_needed' })}</p></noscript>\n`,
    };
  const number = answerFor(settings.formTokenSecret, form.id, token);
  const isUsed = isChallenged(outcome) && outcome.isUsed;
  const isWrong = !isUsed && asks !== 'number' && isWrongIn(proof, view);
  if (!shown) return { challenge: question(proof, view, { number, isWrong, asks, isAlone: true }) };
  return {
    challenge: html`${shown}
<details${attributes({ class: 'form-other-way', open: isWrong })}>
<summary>${locale.translate({ code: 'challenge_other' })}</summary>
${question(proof, view, { number, isWrong, asks, isAlone: false })}</details>
`,
  };
}

/**
 * Loads the script that solves the puzzles (packages/element/src/guard). If only challenged visitors solve one, no one else loads
 * it; but a page's script sends the same form again that it sent before.
 */
export function guardMarkup(proof: Proof, { outcome, sent, medium, locale }: FormView): FormMarkup {
  const { isForAll, captcha, withoutScript, field } = proof;
  const isNeeded = isForAll || medium === 'script' || askedOf(proof, outcome, sent) === 'proof_of_work';
  if (!isNeeded) return {};
  // On its own page, the relay asks for something else beside a captcha.
  const hasOtherWay = captcha?.onlyInDoubt && withoutScript !== 'refuse';
  return {
    part: 'guard',
    attributes: {
      'data-challenge-field': hasOtherWay ? field : undefined,
      'data-proof-working': locale.translate({ code: 'proof_working' }),
      'data-challenge-other': hasOtherWay ? locale.translate({ code: 'challenge_other' }) : undefined,
    },
    // It works in a worker, and asks the relay for puzzles.
    ...(medium === 'plain' && {
      sources: { 'script-src': ["'self'"], 'connect-src': ["'self'"], 'worker-src': ['blob:'] },
    }),
  };
}

interface Question {
  readonly number: string;
  /** Something else was typed. */
  readonly isWrong: boolean;
  readonly asks: ChallengeAsked;
  readonly isAlone: boolean;
}

/** The form's script takes it out of the form where it can solve the token's puzzle instead (packages/element/src/guard). */
function question(
  { field }: Proof,
  { form, locale, classes }: FormView,
  { number, isWrong, asks, isAlone }: Question,
): Html {
  const { translate } = locale;
  const id = fieldElementId(form, field);
  const helpId = partId(id, 'help');
  const errorId = partId(id, 'error');
  const mayGo = isAlone && asks === 'proof_of_work';
  const frame = { class: withOwn('field form-challenge', classes?.field), 'data-form-challenge': mayGo };
  const input = {
    type: 'text',
    id,
    class: classes?.input,
    name: field,
    inputmode: 'numeric',
    autocomplete: 'off',
    required: isAlone,
    'aria-invalid': isWrong && 'true',
    'aria-describedby': isWrong ? `${helpId} ${errorId}` : helpId,
  };
  return html`<div${attributes(frame)}>
<label${attributes({ for: id, class: classes?.label })}>${translate({ code: 'challenge_question', params: { number } })}</label>
<p${attributes({ class: withOwn('field-help', classes?.help), id: helpId })}>${translate({ code: 'challenge_why' })}</p>
${isWrong && html`<p${attributes({ class: withOwn('field-error', classes?.error), id: errorId })}>${translate({ code: 'challenge_wrong' })}</p>\n`}<input${attributes(input)}>
</div>
`;
}

/** Whether somebody typed something else than the number. What is right may still be too old. */
function isWrongIn({ field, tokenField }: Proof, { form, sent = new Map(), settings }: FormView): boolean {
  const typed = firstValue(sent, field).trim();
  // Scripts send a solution, which is much longer.
  if (typed === '' || typed.length >= 60 || !settings) return false;
  return typedNumber(typed) !== answerFor(settings.formTokenSecret, form.id, firstValue(sent, tokenField));
}
