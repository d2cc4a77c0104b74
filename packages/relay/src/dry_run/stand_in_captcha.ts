import type { HttpAnswer, HttpRequest } from '../base/effects.ts';
import type { Captcha, Widget } from '../features/captcha/provider.ts';
import { Template } from '../schema/template/render.ts';

/** The tokens that the stand-in challenge submits. Any token but `botToken` passes. */
export const humanToken = 'pretend-human';
export const botToken = 'pretend-bot';

/** The captcha with a local challenge, whose script is at `script`. */
export function standInCaptcha(captcha: Captcha, script: string): Captcha {
  const widget: Widget =
    captcha.widget.kind === 'score' ? { kind: 'score', script: () => script } : { ...captcha.widget, script };
  return {
    ...captcha,
    siteKey: captcha.siteKey ?? captcha.testKeys.siteKeys[0] ?? 'dry-run',
    secret: new Template('dry-run', 'dry-run'),
    widget,
    origins: ["'self'"],
  };
}

/** A verdict without the provider. */
export function standInVerdict({ body }: HttpRequest): HttpAnswer {
  const isBot = new URLSearchParams(body).get('response') === botToken;
  const verdict = { success: !isBot, score: isBot ? 0 : 1, 'error-codes': isBot ? ['pretended-bot'] : [] };
  return { status: 200, headers: {}, body: JSON.stringify(verdict) };
}
