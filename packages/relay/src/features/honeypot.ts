import type { CheckEvidence } from '../base/event.ts';
import { attributes, html } from '../base/html.ts';
import { firstValue } from '../base/values.ts';
import { fieldElementId } from '../pages/fragments.ts';
import { optional } from '../schema/keys.ts';
import { name } from '../schema/kinds.ts';
import { feature, namedAsFlag } from './feature.ts';

/** Any non-empty value in the decoy field ends the submission (SPEC: Submission rules 1). The setting is its name. */
export const honeypot = feature({
  name: 'honeypot',
  isForBrowsers: true,
  keys: {
    spam: {
      honeypot: optional(
        'Name of a decoy field. People leave it empty; what bots write there is dropped.',
        name(),
      ),
    },
  },
  check: { key: 'spam.honeypot' },
  settings: ({ form }: { readonly form: { readonly spam?: { readonly honeypot?: string } } }) =>
    form.spam?.honeypot,
  names: (field) => [field],
  reserves: ({ ownSpam: { honeypot } }) =>
    typeof honeypot === 'string' ? [{ path: ['spam', 'honeypot'], name: honeypot, check: 'honeypot' }] : [],
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
  // The decoy: not `type=hidden`, which bots leave alone, yet out of sight and reach of people and their tools. In an
  // element of its own, which no stylesheet shows by accident.
  answers: (decoy) => ({
    add: (form) => {
      const id = fieldElementId(form, decoy);
      const input = attributes({ type: 'text', id, name: decoy, autocomplete: 'off', tabindex: -1 });
      const label = form.say({ code: 'decoy_label' });
      return {
        inputs: html`<form-extra hidden inert aria-hidden="true">\n<label${attributes({ for: id })}>${label}</label>\n<input${input}>\n</form-extra>\n`,
      };
    },
  }),
  explain: ({ code, field }: HoneypotEvidence) =>
    code === 'decoy_filled' ? 'the decoy field was filled' : `the decoy field "${field}" is empty`,
});

type HoneypotEvidence = Extract<CheckEvidence, { check: 'honeypot' }>;
