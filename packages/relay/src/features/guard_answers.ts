import { partsInFormCode } from '../../built/inline.ts';
import { attributes, type Html, html } from '../base/html.ts';
import type { FeatureSettings, Form, Medium } from '../form.ts';
import { hashSource } from '../pages/page_view.ts';
import { textAttributes } from '../pages/script_attributes.ts';
import { captcha } from './captcha/captcha.ts';
import type { OwnAnswers } from './feature.ts';
import { proof } from './proof/proof.ts';

export const guardAnswers = (features: FeatureSettings): OwnAnswers => ({
  add: (form, { answer, medium }) =>
    !isNeeded(features, medium, answer?.challenge)
      ? {}
      : { attributes: guardAttributes(form, features), part: 'guard' },
  // It works in a worker, and asks the relay for puzzles.
  policy: (_, { kind, challenge, hasScript }) =>
    kind === 'sent' || hasScript || !isNeeded(features, 'plain', challenge)
      ? {}
      : {
          scripts: ["'self'", hashSource(partsInFormCode)],
          connections: ["'self'"],
          workers: ['blob:'],
        },
});

/**
 * If only challenged visitors solve a puzzle, no one else loads the script; but a page's script sends the same form again
 * that it sent before.
 */
function isNeeded(features: FeatureSettings, medium: Medium, challenge: string | undefined): boolean {
  const when = proof.in(features)?.when;
  return when !== undefined && (when !== 'asked' || medium === 'script' || challenge === 'proof_of_work');
}

function guardAttributes(form: Form, features: FeatureSettings): Html {
  const asked = proof.in(features);
  // On its own page, the relay asks for something else beside a captcha.
  const hasOtherWay = captcha.in(features)?.onlyInDoubt && asked?.withoutScript !== 'refuse';
  const data = attributes({ 'data-challenge-field': hasOtherWay && asked?.field });
  const other = { 'challenge-other': 'challenge_other' } as const;
  return html`${data}${textAttributes(form, { 'proof-working': 'proof_working', ...(hasOtherWay && other) })}`;
}
