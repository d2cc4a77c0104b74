/** `captcha.site_key`: adds the provider's widget to the form. */

import { attributes, html, inlineScript } from '@form-relay/base/html';
import { firstValue } from '@form-relay/base/values';
import type { FormView, Html, Plugin, PolicySources } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { captchaBoxCode, captchaScoreCode } from '@form-relay/element/built/inline';
import { asksCaptchaIn } from '../proof/check.ts';
import type { Captcha } from './captcha.ts';
import { numberField, otherWay } from './other_way.ts';

type Widget =
  /** The provider's script turns an element of this class into a challenge. */
  | {
      readonly kind: 'box';
      readonly script: string;
      readonly className: string;
      /** The script's global object, whose `render` makes a challenge. */
      readonly global: string;
      /** Whether the script can submit its token under another field name. */
      readonly renames?: true;
      /** The origins of its scripts and frames. */
      readonly origins: readonly string[];
    }
  /** An invisible script that scores the visitor and returns a token on demand. */
  | { readonly kind: 'score'; readonly script: string; readonly origins: readonly string[] };

const google = ['https://www.google.com', 'https://www.gstatic.com'];

export const widgets: Readonly<Record<Captcha['provider'], Widget>> = {
  recaptcha_v2: {
    kind: 'box',
    script: 'https://www.google.com/recaptcha/api.js',
    className: 'g-recaptcha',
    global: 'grecaptcha',
    origins: google,
  },
  recaptcha_v3: { kind: 'score', script: 'https://www.google.com/recaptcha/api.js?render=', origins: google },
  hcaptcha: {
    kind: 'box',
    script: 'https://js.hcaptcha.com/1/api.js',
    className: 'h-captcha',
    global: 'hcaptcha',
    origins: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
  },
  turnstile: {
    kind: 'box',
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    className: 'cf-turnstile',
    global: 'turnstile',
    renames: true,
    origins: ['https://challenges.cloudflare.com'],
  },
};

const scriptOf = ({ script, siteKey = '' }: Captcha, widget: Widget): string =>
  script ?? (widget.kind === 'box' ? widget.script : `${widget.script}${encodeURIComponent(siteKey)}`);

/**
 * The provider's widget; `undefined` without a site key. A token is good for one submission, so each
 * rendering of the form gets its own widget, and a widget that stays on the page after an error is reset.
 */
function widgetIn(captcha: Captcha, view: FormView): Html | undefined {
  const { siteKey, hasOtherWay } = captcha;
  if (siteKey === undefined) return undefined;
  const { locale, medium } = view;
  const widget = widgetOf(captcha, siteKey, medium);
  const other = hasOtherWay && otherWay(view);
  if (other) return html`${widget}\n${other}`;
  const withoutScript = locale.translate({ code: 'captcha_without_script' });
  return html`${widget}<noscript><p>${withoutScript}</p></noscript>`;
}

/**
 * The form's script reads the URL of the provider's script. With htmx, an inline script first checks whether
 * that script is loaded.
 */
function widgetOf(captcha: Captcha, siteKey: string, medium: FormView['medium']): Html {
  const { provider, field } = captcha;
  const widget = widgets[provider];
  const api = scriptOf(captcha, widget);
  if (widget.kind === 'score') {
    const input = { type: 'hidden', name: field, 'data-sitekey': siteKey, 'data-api': api };
    return html`<input${attributes(input)}>${!medium && inlineScript(captchaScoreCode)}`;
  }
  const box = {
    class: widget.className,
    'data-sitekey': siteKey,
    'data-response-field-name': widget.renames ? field : undefined,
  };
  const loaded = html`<div${attributes({ ...box, 'data-api': api, 'data-global': widget.global })}></div>`;
  return medium ? loaded : html`${loaded}${inlineScript(captchaBoxCode)}`;
}

/**
 * The form's script adds this widget once the relay asks for it. The button sends the form to the relay's
 * page, which offers the number instead.
 */
function templateOf(captcha: Captcha, { locale, medium, settings }: FormView): Html {
  const { siteKey = '', hasOtherWay } = captcha;
  const other =
    hasOtherWay &&
    settings?.formTokenSecret &&
    html`<button type="button" class="form-other-way">${locale.translate({ code: 'challenge_other' })}</button>`;
  return html`${widgetOf(captcha, siteKey, medium)}${other}`;
}

/** Sources that a page's Content-Security-Policy must allow for the widget. */
const sourcesOf = ({ provider, script }: Captcha): PolicySources => {
  const origins = script === undefined ? widgets[provider].origins : ["'self'"];
  return {
    'style-src': origins,
    'script-src': origins,
    'frame-src': origins,
    'connect-src': origins,
  };
};

/** Whether the form is shown again to a visitor who was challenged. */
const isAsked = ({ field }: Captcha, { outcome, sent = new Map() }: FormView): boolean =>
  outcome !== undefined &&
  (asksCaptchaIn(outcome) || [field, numberField].some((name) => firstValue(sent, name) !== ''));

const captchaWidget = feature({
  name: 'captcha_widget',
  after: ['captcha', 'proof', 'form_token'],
  configure: ({ provided }) => {
    const captcha = provided.get('captcha');
    if (captcha?.siteKey === undefined) return undefined;
    return {
      browsersOnly: true,
      markup: (view) => {
        if (!captcha.onlyInDoubt || isAsked(captcha, view))
          return { inputs: html`${widgetIn(captcha, view)}\n`, sources: sourcesOf(captcha) };
        // In a template, the provider's script cannot find the widget before the form's script takes it out.
        return view.medium === 'script'
          ? {
              inputs: html`<template data-captcha>${templateOf(captcha, view)}</template>\n`,
              part: 'captcha',
            }
          : {};
      },
    };
  },
});

/** Config keys that also load this plug-in. */
export const uses = ['form captcha'];

export const plugin: Plugin = {
  name: 'captcha_widget',
  features: [captchaWidget],
  scripts: { captcha: async () => (await import('@form-relay/element/built/captcha')).captchaCode },
  messages: {
    en: {
      captcha_without_script: 'This form needs JavaScript for its captcha.',
      challenge_other: 'If you cannot solve the captcha, type a number instead.',
      challenge_captcha:
        'Not sent yet: one more check is needed. Your entries are still here: please solve the task below, and send the form again.',
    },
  },
};
