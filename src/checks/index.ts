import { captcha } from './captcha.ts';
import type { Check } from './check.ts';
import { honeypot } from './honeypot.ts';
import { minFill } from './min_fill.ts';
import { validation } from './validation.ts';

/** Most forms have no files; what looks at them is loaded with the first. */
const scan: Check = {
  name: 'scan',
  key: 'scan',
  isOn: ({ scan }) => scan !== undefined,
  examine: async (...all) => (await import('./scan.ts')).scan(...all),
};

const proof: Check = {
  name: 'proof',
  key: 'spam.proof_of_work',
  isOn: ({ proof }) => proof !== undefined,
  examine: async (...all) => (await import('./proof.ts')).proof(all[0], all[1]),
};

const doubt: Check = {
  name: 'doubt',
  key: 'spam.doubt',
  isOn: ({ doubt }) => doubt !== undefined,
  examine: async (...all) => (await import('./doubt.ts')).doubt(...all),
};

/** Every check, in the order of SPEC: What the service does; what came later stands before validation (D72). */
export const checks: readonly Check[] = [honeypot, minFill, captcha, proof, doubt, validation, scan];
