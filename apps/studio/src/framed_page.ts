import { createHash } from 'node:crypto';
import { attributes, html } from '@form-relay/base/html';
import { parseQuery } from '@form-relay/base/urlencoded';
import type { Form, Html, Locale } from '@form-relay/core/index';
import {
  captchaBoxCode,
  captchaScoreCode,
  formEventsCode,
  pageContextCode,
  partsInFormCode,
} from '@form-relay/element/built/inline';
import { rangeInFormCode } from '@form-relay/element/built/range_in_form';
import { repeatInFormCode } from '@form-relay/element/built/repeat_in_form';
import { formAddress, pageAddress, scriptTag, withQuery } from '@form-relay/pages/printed_form';
import { lookOf, titleOf } from './form_parts.ts';

export interface Framed {
  readonly markup: Html;
  readonly policy: string;
}

/** The URL of the live form's page. */
export const frameAddress = (form: Form, locale: Locale): string =>
  withQuery(`/studio/element/${encodeURIComponent(form.id)}`, locale.query);

/** A page as an owner would write it: a script, a style, and one element into which the form is loaded. */
export function hostPage(form: Form, query: string): Framed {
  const locale = localeIn(form, parseQuery(query) ?? new Map());
  // A query fills in the form.
  const address = withQuery(formAddress('', form, { ...locale, query: '' }), query);
  const link = { href: pageAddress('', form, locale) };
  return framed(
    titleOf(form, locale),
    locale,
    html`<relay-form${attributes({ src: address })}><a${attributes(link)}>${titleOf(form, locale)}</a></relay-form>`,
    html`${scriptTag('')}\n`,
    lookOf(form),
  );
}

const english = { language: 'en', direction: undefined };

/** Replaces the page of another site to which a submission without a script is finally redirected. */
export const elsewhere = (location: string): Framed =>
  framed(
    'Sent on',
    english,
    html`<h1>The visitor would now be here:</h1>
<p><code id="elsewhere">${location}</code></p>
<p class="field-help">The address comes from <code>redirect</code> in the config. The studio stays on this machine.</p>
`,
  );

function framed(
  title: string,
  { language = 'en', direction }: Pick<Locale, 'language' | 'direction'>,
  content: Html,
  head?: Html,
  look?: Html,
): Framed {
  const scripts = [
    formEventsCode,
    rangeInFormCode,
    repeatInFormCode,
    partsInFormCode,
    pageContextCode,
    captchaBoxCode,
    captchaScoreCode,
  ]
    .map(hashSource)
    .join(' ');
  return {
    markup: html`<!DOCTYPE html>
<html${attributes({ lang: language, dir: direction })}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/studio/theme/own.css">
${look && html`<style>${look}</style>\n`}${head}</head>
<body>
<main>
${content}
</main>
</body>
</html>
`,
    policy: [
      "default-src 'none'",
      `script-src 'self' ${scripts}`,
      'worker-src blob:',
      `style-src 'self'${look ? ` ${hashSource(look)}` : ''}`,
      "font-src 'self' https:",
      // Stylesheets contain ticks and arrows as images.
      'img-src data:',
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'self'",
    ].join('; '),
  };
}

const hashSource = (code: Html) => `'sha256-${createHash('sha256').update(String(code)).digest('base64')}'`;

/** The requested language if the form has it; else its first. */
export const localeIn = (form: Form, query: ReadonlyMap<string, readonly string[]>): Locale =>
  form.provided.get('languages')?.localeOf(query.get('lang')?.[0] ?? '') ?? form.locale(undefined);
