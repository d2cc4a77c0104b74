import { firstValue } from '@form-relay/base/values';
import { fieldElementId, partId, withOwn } from '@form-relay/core/html/element_ids';
import { attributes, html } from '@form-relay/core/html/html';
import type { FormMarkup, FormView, Html } from '@form-relay/core/index';
import { answerFor, proofField, typedNumber } from './challenge.ts';
import { asksIn, isChallenged } from './challenged.ts';
import type { Proof } from './index.ts';

/**
 * Below the line that says why, above the button: visitors read the question after the reason, before they send.
 *
 * @param token The value of the fresh token, which the number to type follows from.
 */
export function challengeMarkup(proof: Proof, view: FormView, token: string): FormMarkup {
  const { outcome, sent, settings, form } = view;
  if (!settings || !asksIn(outcome, sent)) return {};
  const number = answerFor(settings.formTokenSecret, form.id, token);
  const isUsed = isChallenged(outcome) && outcome.isUsed;
  return { challenge: question(view, number, !isUsed && isWrongIn(proof, view)) };
}

/**
 * Loads the script that solves the puzzles (packages/element/src/guard). If only challenged visitors solve one, no one else with htmx
 * loads it; but the form's script sends the same form again that it sent before.
 */
export function guardMarkup({ isForAll }: Proof, { outcome, sent, medium, locale }: FormView): FormMarkup {
  if (!isForAll && !medium && !asksIn(outcome, sent)) return {};
  return {
    part: 'guard',
    attributes: { 'data-proof-working': locale.translate({ code: 'proof_working' }) },
    // The script solves puzzles in a worker.
    sources: { 'worker-src': ['blob:'] },
  };
}

/** The form's script takes it out of the form where it can solve the token's puzzle instead (packages/element/src/guard). */
function question({ form, locale, classes }: FormView, number: string, isWrong: boolean): Html {
  const { translate } = locale;
  const id = fieldElementId(form, proofField);
  const helpId = partId(id, 'help');
  const errorId = partId(id, 'error');
  const frame = { class: withOwn('field form-challenge', classes?.field), 'data-form-challenge': true };
  const input = {
    type: 'text',
    id,
    class: classes?.input,
    name: proofField,
    inputmode: 'numeric',
    autocomplete: 'off',
    required: true,
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

/** Whether somebody typed something else than the number. A right number may still be too old. */
function isWrongIn({ formToken }: Proof, { form, sent = new Map(), settings }: FormView): boolean {
  const typed = firstValue(sent, proofField).trim();
  // Scripts send a solution, which is much longer.
  if (typed === '' || typed.length >= 60 || !settings) return false;
  return (
    typedNumber(typed) !== answerFor(settings.formTokenSecret, form.id, firstValue(sent, formToken.field))
  );
}
