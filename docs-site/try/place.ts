/** The playground as a page without a server, as the worker renders what changes in it. */
import { html } from '../../src/html.ts';
import { lock } from '../../src/tools/playground/icons.ts';
import type { Place } from '../../src/tools/playground/place.ts';

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
