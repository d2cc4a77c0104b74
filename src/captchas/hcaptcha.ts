import { captchaProvider } from './provider.ts';

export const hcaptcha = captchaProvider({
  provider: 'hcaptcha',
  summary: 'hCaptcha.',
  field: 'h-captcha-response',
  verifyUrl: 'https://api.hcaptcha.com/siteverify',
  keys: {},
});
