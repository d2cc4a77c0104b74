import { firstValue } from '../base/values.ts';
import type { Check } from './check.ts';

/** Any non-empty value in the decoy field ends the submission (SPEC: Submission rules 1). */
export const honeypot: Check = {
  name: 'honeypot',
  key: 'spam.honeypot',
  isOn: ({ spam }) => spam?.honeypot !== undefined,
  examine: ({ values, files }, { form }) => {
    const field = form.spam?.honeypot ?? '';
    return firstValue(values, field) === '' && !files.has(field)
      ? { evidence: { check: 'honeypot', code: 'decoy_empty', field } }
      : {
          evidence: { check: 'honeypot', code: 'decoy_filled', field },
          ending: { kind: 'dropped', by: 'honeypot' },
        };
  },
};
