/** The studio as a page without a server. */
import type { Place } from '../src/place.ts';

export const place: Place = {
  name: 'try it',
  modes: ['element', 'plain'],
  themes: ['own', 'none'],
  hasFile: false,
  opensAlone: false,
  sandbox: 'allow-scripts allow-forms',
  origin: 'https://forms.example.com',
};
