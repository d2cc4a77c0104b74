import { firstValue } from '../base/values.ts';
import { optional } from '../schema/keys.ts';
import { name } from '../schema/kinds.ts';
import { feature, namedAsFlag } from './feature.ts';

export const honeypotKeys = {
  honeypot: optional(
    'Name of a decoy field. People leave it empty; what bots write there is dropped.',
    name(),
  ),
};

/** Any non-empty value in the decoy field ends the submission (SPEC: Submission rules 1). The setting is its name. */
export const honeypot = feature({
  name: 'honeypot',
  check: { key: 'spam.honeypot' },
  settings: ({ form }: { readonly form: { readonly spam?: { readonly honeypot?: string } } }) =>
    form.spam?.honeypot,
  names: (field) => [field],
  warnings: (field) => namedAsFlag('honeypot', field, 'honeypot'),
  stages: (field) => ({
    check: ({ submission: { values, files } }) =>
      firstValue(values, field) === '' && !files.has(field)
        ? { evidence: { check: 'honeypot', code: 'decoy_empty', field } }
        : {
            evidence: { check: 'honeypot', code: 'decoy_filled', field },
            ending: { kind: 'dropped', by: 'honeypot' },
          },
  }),
});
