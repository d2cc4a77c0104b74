import { type Finding, finding } from '../base/config_finding.ts';
import type { Captcha } from '../features/captcha/provider.ts';
import type { Form } from '../form.ts';

/** Nobody is asked for what it says, or nobody is kept out by it; or people are. */
export function guardWarnings(
  { spam, proof, doubt, gates }: Pick<Form, 'spam' | 'proof' | 'doubt' | 'gates'>,
  captcha: Captcha | undefined,
): readonly Finding[] {
  const isAsked =
    doubt?.thresholds.some(({ action }) => action === 'challenge') || gates?.unknown === 'challenge';
  return [
    ...(spam?.minFill && spam.minFill.tooFast === undefined
      ? [
          finding('too_fast_dropped', ['spam', 'min_fill_seconds'], {
            seconds: spam.minFill.minFillMs / 1_000,
          }),
        ]
      : []),
    ...(captcha?.onlyInDoubt && !(isAsked && proof?.challenge === 'captcha')
      ? [
          finding('captcha_of_nobody', ['captcha', 'only_in_doubt'], {
            asks: isAsked ? 'proof_of_work' : 'nobody',
          }),
        ]
      : []),
    ...(proof && proof.when !== 'asked' && proof.withoutScript === 'allow' && !doubt
      ? [finding('proof_of_nobody', ['spam', 'without_script'])]
      : []),
  ];
}
