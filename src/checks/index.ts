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

/** Every check, in the order of SPEC: What the service does. */
export const checks: readonly Check[] = [honeypot, minFill, captcha, validation, scan];
