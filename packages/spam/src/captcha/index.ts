/** `captcha.site_key`: the form holds the provider's widget. */
import type { Plugin } from '@form-relay/core/index';
import { feature, html } from '@form-relay/core/kit';
import { sourcesOf, widgetIn } from './widget.ts';

const captchaWidget = feature({
  name: 'captcha_widget',
  after: ['captcha', 'proof', 'form_token'],
  configure: ({ provided }) => {
    const captcha = provided.get('captcha');
    if (captcha?.siteKey === undefined) return undefined;
    return {
      browsersOnly: true,
      renderMarkup: (view) => ({ inputs: html`${widgetIn(captcha, view)}\n`, sources: sourcesOf(captcha) }),
    };
  },
});

export const plugin: Plugin = {
  name: 'captcha_widget',
  features: [captchaWidget],
  messages: { en: { captcha_without_script: 'This form needs JavaScript for its captcha.' } },
};
