/** The studio as a page without a server, as the worker renders what changes in it. */
import { html } from '@form-relay/relay/base';
import { lock } from '../src/icons.ts';
import type { Place } from '../src/place.ts';

export const place: Place = {
  name: 'try it',
  head: html``,
  promise: html`<p class="promise">${lock} Nothing leaves this page</p>`,
  modes: ['element', 'plain'],
  themes: ['own', 'none'],
  hasFile: false,
  opensAlone: false,
  sandbox: 'allow-scripts allow-forms',
  origin: 'https://forms.example.com',
};
