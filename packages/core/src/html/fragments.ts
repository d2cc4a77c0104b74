/** The small fragments that SPEC defines exactly, and the responses that contain markup or JSON. */

import { attributes, type Html, type HtmlValue, html, withLinks } from '@form-relay/base/html';
import type { Form } from '../form.ts';
import type { RelayResponse } from '../http/request.ts';
import type { Locale } from '../messages/message.ts';
import type { Outcome } from '../submission.ts';

export const fragmentAnswer = (status: number, markup: Html | undefined): RelayResponse => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  },
  body: markup?.toString() ?? '',
});

export const jsonAnswer = (status: number, body: object): RelayResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});

/** The owner's text, followed by the codes that the sender should save. */
export function confirmationWords(words: string, codes: Outcome['codes'], locale: Locale): Html {
  if (!codes) return withLinks(words);
  const shown = Object.entries(codes).map(([name, code]) => {
    const words = locale.translate({ code: name, params: { code } });
    const [before, after] = words.split(code);
    if (after === undefined) return html`<p class="form-${name}">${withLinks(`[${words}](${code})`)}</p>`;
    // Codes are written from left to right in every language.
    return html`<p class="form-${name}">${before}<code dir="ltr">${code}</code>${after}</p>`;
  });
  return html`${withLinks(words)}${shown}`;
}

/** The text in place of a form that is closed. */
export const closedFragment = (
  form: Form,
  [why, owners]: readonly HtmlValue[],
  locale: Locale,
  hasHeading: boolean,
): Html =>
  html`<div${attributes({ class: 'form-relay form-closed', ...languageAttributes(locale) })}>
${hasHeading && form.title !== undefined && html`<h2>${locale.text(form.title)}</h2>\n`}<p>${why}</p>
${owners !== undefined && html`<p${attributes({ dir: locale.direction === 'rtl' ? 'auto' : undefined })}>${owners}</p>\n`}</div>
`;

export const confirmationFragment = (
  words: string,
  { codes, html: more }: Pick<Outcome, 'codes' | 'html'>,
  locale: Locale,
): Html =>
  html`<div${attributes({ class: 'form-confirmation', ...languageAttributes(locale) })}>${confirmationWords(words, codes, locale)}${more}</div>\n`;

/** @param locale The text's language, if no surrounding element declares one. */
export const errorList = (messages: readonly HtmlValue[], locale?: Locale): Html =>
  html`<ul${attributes({ class: 'form-errors', ...languageAttributes(locale) })}>${messages.map((message) => html`<li>${message}</li>`)}</ul>\n`;

/** Empty if the config names no language. */
const languageAttributes = (locale: Locale | undefined) =>
  locale?.language !== undefined && { lang: locale.language, dir: locale.direction };

export const hiddenInput = (name: string, value: string): Html =>
  html`<input${attributes({ type: 'hidden', name, value })}>`;
