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
  testKeys: {
    siteKeys: [
      '1x00000000000000000000AA',
      '2x00000000000000000000AB',
      '1x00000000000000000000BB',
      '2x00000000000000000000BB',
      '3x00000000000000000000FF',
    ],
    secrets: [
      '1x0000000000000000000000000000000AA',
      '2x0000000000000000000000000000000AA',
      '3x0000000000000000000000000000000AA',
    ],
  },
  isIdempotent: true,
  keys: {},
});
