/** `captcha.site_key`: the form holds the provider's widget. */
import type { Plugin } from '@form-relay/core/index';
import { feature, html } from '@form-relay/core/kit';
import { isChallenged } from '../proof/challenged.ts';
import { placeOf, sourcesOf, widgetIn } from './widget.ts';

const captchaWidget = feature({
  name: 'captcha_widget',
  after: ['captcha', 'proof', 'form_token'],
  configure: ({ provided }) => {
    const captcha = provided.get('captcha');
    if (captcha?.siteKey === undefined) return undefined;
    const sources = sourcesOf(captcha);
    return {
      browsersOnly: true,
      renderMarkup: (view) => {
        if (!captcha.onlyInDoubt) return { inputs: html`${widgetIn(captcha, view)}\n`, sources };
        // Challenged visitors see it where the challenge is.
        const isAsked = isChallenged(view.outcome) && view.outcome.asks === 'captcha';
        return {
          ...(view.medium === 'script' && { inputs: html`${placeOf(captcha)}\n` }),
          ...(isAsked && { sources }),
        };
      },
    };
  },
});

export const plugin: Plugin = {
  name: 'captcha_widget',
  features: [captchaWidget],
  messages: { en: { captcha_without_script: 'This form needs JavaScript for its captcha.' } },
};
