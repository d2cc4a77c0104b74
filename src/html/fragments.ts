/** The small fragments that SPEC names, to the letter. */
import type { Form } from '../form.ts';
import { attributes, type Html, html } from './html.ts';

export const confirmationFragment = ({ confirmation }: Form): Html =>
  html`<div class="form-confirmation">${confirmation}</div>\n`;

export const errorList = (messages: readonly string[]): Html =>
  html`<ul class="form-errors">${messages.map((message) => html`<li>${message}</li>`)}</ul>\n`;

export const tokenInput = (name: string, token: string): Html =>
  html`<input${attributes({ type: 'hidden', name, value: token })}>`;
