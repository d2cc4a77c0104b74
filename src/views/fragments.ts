/** The small fragments that SPEC names, to the letter. */
import type { Form } from '../form.ts';
import { attributes, type Html, html } from '../html.ts';

export const confirmationFragment = ({ confirmation }: Form): Html =>
  html`<div class="form-confirmation">${confirmation}</div>\n`;

export const errorList = (messages: readonly string[]): Html =>
  html`<ul class="form-errors">${messages.map((message) => html`<li>${message}</li>`)}</ul>\n`;

/** The min-fill token, or another value that the visitor need not see. */
export const hiddenInput = (name: string, value: string): Html =>
  html`<input${attributes({ type: 'hidden', name, value })}>`;
