import { captchaProvider } from './provider.ts';

export const recaptchaV2 = captchaProvider({
  provider: 'recaptcha_v2',
  summary: 'Google reCAPTCHA v2, the checkbox.',
  field: 'g-recaptcha-response',
  verifyUrl: 'https://www.google.com/recaptcha/api/siteverify',
  widget: {
    kind: 'box',
    script: 'https://www.google.com/recaptcha/api.js',
    className: 'g-recaptcha',
    global: 'grecaptcha',
  },
  origins: ['https://www.google.com', 'https://www.gstatic.com'],
  testKeys: {
    siteKeys: ['6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI'],
    secrets: ['6LeIxAcTAAAAAGG-vFI1TnRWxMZNFuojJ4WifJWe'],
  },
  keys: {},
});
