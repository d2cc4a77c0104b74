import { hcaptcha } from './hcaptcha.ts';
import { recaptchaV2 } from './recaptcha_v2.ts';
import { recaptchaV3 } from './recaptcha_v3.ts';
import { turnstile } from './turnstile.ts';

/** Every captcha provider. Adding one is one file and one line here. */
export const captchaProviders = [recaptchaV2, recaptchaV3, hcaptcha, turnstile] as const;
