import { captchaProvider } from './provider.ts';

export const turnstile = captchaProvider({
  provider: 'turnstile',
  summary: 'Cloudflare Turnstile.',
  field: 'cf-turnstile-response',
  verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  widget: {
    kind: 'box',
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    className: 'cf-turnstile',
    global: 'turnstile',
    renames: true,
  },
  origins: ['https://challenges.cloudflare.com'],
  isIdempotent: true,
  keys: {},
});
