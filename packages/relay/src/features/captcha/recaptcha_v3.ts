import { optional } from '../../schema/keys.ts';
import { number } from '../../schema/kinds.ts';
import { captchaProvider } from './provider.ts';

export const recaptchaV3 = captchaProvider({
  provider: 'recaptcha_v3',
  summary: 'Google reCAPTCHA v3, which scores visitors from 0.0 (bot) to 1.0 (human).',
  field: 'g-recaptcha-response',
  verifyUrl: 'https://www.google.com/recaptcha/api/siteverify',
  widget: {
    kind: 'score',
    script: (siteKey) => `https://www.google.com/recaptcha/api.js?render=${encodeURIComponent(siteKey)}`,
  },
  origins: ['https://www.google.com', 'https://www.gstatic.com'],
  keys: {
    min_score: optional(
      'Submissions that score below it are rejected, and so are verdicts without a score.',
      number({ least: 0, most: 1 }),
    ),
  },
  accepts: ({ min_score }, { score }) =>
    min_score === undefined || (typeof score === 'number' && score >= min_score),
});
