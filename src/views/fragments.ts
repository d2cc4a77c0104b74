/** The small fragments that SPEC names, to the letter. */
import { withOwn } from '../fields/classes.ts';
import type { Form } from '../form.ts';
import { attributes, type Html, html } from '../html.ts';

export const confirmationFragment = ({ confirmation, classes }: Form): Html =>
  html`<div class="${withOwn('form-confirmation', classes?.confirmation)}">${confirmation}</div>\n`;

export const errorList = (messages: readonly string[], form?: Form): Html =>
  html`<ul class="${withOwn('form-errors', form?.classes?.errors)}">${messages.map((message) => html`<li>${message}</li>`)}</ul>\n`;

/** The min-fill token, or another value that the visitor need not see. */
export const hiddenInput = (name: string, value: string): Html =>
  html`<input${attributes({ type: 'hidden', name, value })}>`;
