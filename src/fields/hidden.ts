import { attributes, html } from '../html.ts';
import { fieldType } from './field.ts';

/** D18: no check of its own. */
export const hidden = fieldType({
  type: 'hidden',
  summary:
    'A value that the page sets and the visitor does not see. Only `required` and the limit of 10,000 bytes are checked.',
  layout: 'bare',
  keys: {},
  control: (field, { id, values }) =>
    html`<input${attributes({ type: 'hidden', id, name: field.name, value: values[0] ?? '' })}>`,
});
