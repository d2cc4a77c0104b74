import { attributes, html } from '../html/html.ts';
import { fieldType } from './field.ts';

/** D18: no check but `required`. */
export const hidden = fieldType({
  type: 'hidden',
  summary: 'A value that the page sets and the visitor does not see. Only `required` is checked.',
  layout: 'bare',
  keys: {},
  check: () => undefined,
  control: (field, { id, values }) =>
    html`<input${attributes({ type: 'hidden', id, name: field.name, value: values[0] ?? '' })}>`,
});
