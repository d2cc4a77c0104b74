import { captcha } from './captcha.ts';
import type { Check } from './check.ts';
import { honeypot } from './honeypot.ts';
import { minFill } from './min_fill.ts';
import { validation } from './validation.ts';

/** Every check, in the order of SPEC: What the service does. */
export const checks: readonly Check[] = [honeypot, minFill, captcha, validation];
