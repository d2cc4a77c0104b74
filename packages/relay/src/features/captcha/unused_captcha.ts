import type { Form } from '../../form.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { doubt } from '../doubt/doubt.ts';
import { origins } from '../origins.ts';
import { proof } from '../proof/proof.ts';
import { captcha } from './captcha.ts';

/** With `only_in_doubt`, something must challenge visitors, and with the captcha. */
export function captchaOfNobody(form: Form): readonly Finding[] {
  if (!captcha.of(form)?.onlyInDoubt) return [];
  const isAsked =
    doubt.of(form)?.thresholds.some(({ action }) => action === 'challenge') ||
    origins.of(form)?.unknown === 'challenge';
  return isAsked && proof.of(form)?.challenge === 'captcha'
    ? []
    : [
        finding('captcha_of_nobody', ['captcha', 'only_in_doubt'], {
          asks: isAsked ? 'proof_of_work' : 'nobody',
        }),
      ];
}
