/** The small fragments that SPEC names, to the letter. */
import { withOwn } from '../fields/classes.ts';
import type { Form } from '../form.ts';
import { attributes, type Html, type HtmlValue, html } from '../html.ts';
import { withLinks } from '../linked_text.ts';

export function confirmationFragment(form: Form): Html {
  const name = withOwn('form-confirmation', form.classes?.confirmation);
  return html`<div${attributes({ class: name, ...languageAttributes(form) })}>${withLinks(form.confirmation)}</div>\n`;
}

/** Around words of the form; nothing where the config names no language. */
export const languageAttributes = ({ language, direction }: Form) =>
  direction && { lang: language, dir: direction };

export const errorList = (messages: readonly HtmlValue[], form?: Form): Html =>
  html`<ul class="${withOwn('form-errors', form?.classes?.errors)}">${messages.map((message) => html`<li>${message}</li>`)}</ul>\n`;

/** The min-fill token, or another value that the visitor need not see. */
export const hiddenInput = (name: string, value: string): Html =>
  html`<input${attributes({ type: 'hidden', name, value })}>`;
