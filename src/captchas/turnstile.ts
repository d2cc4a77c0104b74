import { captchaProvider } from './provider.ts';

export const turnstile = captchaProvider({
  provider: 'turnstile',
  summary: 'Cloudflare Turnstile.',
  field: 'cf-turnstile-response',
  verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  isIdempotent: true,
  keys: {},
});
