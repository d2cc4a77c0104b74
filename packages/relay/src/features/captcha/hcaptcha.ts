import { captchaProvider } from './provider.ts';

export const hcaptcha = captchaProvider({
  provider: 'hcaptcha',
  summary: 'hCaptcha.',
  field: 'h-captcha-response',
  verifyUrl: 'https://api.hcaptcha.com/siteverify',
  widget: {
    kind: 'box',
    script: 'https://js.hcaptcha.com/1/api.js',
    className: 'h-captcha',
    global: 'hcaptcha',
  },
  origins: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
  testKeys: {
    siteKeys: [
      '10000000-ffff-ffff-ffff-000000000001',
      '20000000-ffff-ffff-ffff-000000000002',
      '30000000-ffff-ffff-ffff-000000000003',
    ],
    secrets: ['0x0000000000000000000000000000000000000000'],
  },
  keys: {},
});
