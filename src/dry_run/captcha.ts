import type { Captcha, Widget } from '../captchas/provider.ts';
import type { HttpAnswer, HttpPost } from '../effects.ts';
import { LiteralTemplate } from '../template/render.ts';

/** What the stand-in for a provider's challenge submits. Any other token passes, too. */
export const humanToken = 'pretend-human';
export const botToken = 'pretend-bot';

/** The providers' public keys for tests; reCAPTCHA v3 has none. */
const testSiteKeys: Readonly<Record<string, string>> = {
  recaptcha_v2: '6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI',
  recaptcha_v3: 'dry-run',
  hcaptcha: '10000000-ffff-ffff-ffff-000000000001',
  turnstile: '1x00000000000000000000AA',
};

/** The captcha with a challenge that needs no provider, whose script is at `script`. */
export function standInCaptcha(captcha: Captcha, script: string): Captcha {
  const widget: Widget =
    captcha.widget.kind === 'score' ? { kind: 'score', script: () => script } : { ...captcha.widget, script };
  return {
    ...captcha,
    siteKey: captcha.siteKey ?? testSiteKeys[captcha.provider],
    secret: new LiteralTemplate('dry-run', 'dry-run'),
    widget,
    origins: ["'self'"],
  };
}

/** A provider's verdict without the provider. */
export function standInVerdict({ body }: HttpPost): HttpAnswer {
  const isBot = new URLSearchParams(body).get('response') === botToken;
  const verdict = { success: !isBot, score: isBot ? 0 : 1, 'error-codes': isBot ? ['pretended-bot'] : [] };
  return { status: 200, headers: {}, body: JSON.stringify(verdict) };
}
