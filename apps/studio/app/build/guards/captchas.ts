import type { Json } from '../../../edit/index.ts';

/** Providers with their cost, and their own keys for tests (docs/spam.md, "Captcha"). */
export const captchas = {
  turnstile: {
    name: 'Cloudflare Turnstile',
    cost: 'Browser data goes to Cloudflare. Visitors mostly do nothing, sometimes click.',
    secret: 'TURNSTILE_SECRET',
    site_key: '1x00000000000000000000AA',
  },
  hcaptcha: {
    name: 'hCaptcha',
    cost: 'Browser data goes to hCaptcha. Visitors click, sometimes choose pictures.',
    secret: 'HCAPTCHA_SECRET',
    site_key: '10000000-ffff-ffff-ffff-000000000001',
  },
  recaptcha_v2: {
    name: 'reCAPTCHA v2',
    cost: 'Browser data and a cookie go to Google. Visitors click, sometimes choose pictures.',
    secret: 'RECAPTCHA_SECRET',
    site_key: '6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI',
  },
  recaptcha_v3: {
    name: 'reCAPTCHA v3',
    cost: 'Browser data and a cookie go to Google. Visitors do nothing, and can do nothing about a low score.',
    secret: 'RECAPTCHA_SECRET',
    site_key: 'your-v3-site-key',
  },
} as const;
export type Captcha = keyof typeof captchas;

export const captchaOf = (provider: Captcha): { readonly [key: string]: Json } => ({
  provider,
  secret: `{{ env "${captchas[provider].secret}" }}`,
  site_key: captchas[provider].site_key,
});
