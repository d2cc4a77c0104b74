import { attributes, html } from '../html.ts';
import { fieldType } from './field.ts';

/** D18: no check of its own. */
export const hidden = fieldType({
  type: 'hidden',
  summary:
    'A value that the page sets and the visitor does not see. Only `required` and the limit of 10,000 bytes are checked.',
  layout: 'bare',
  keys: {},
  control: (field, { id, values, invalid, describedBy }) => {
    const all = {
      type: 'hidden',
      id,
      name: field.name,
      value: values[0] ?? '',
      // HTML knows neither here; SPEC wants them on every field that failed, and its message is in view.
      'aria-invalid': invalid && 'true',
      'aria-describedby': describedBy,
    };
    return html`<input${attributes(all)}>`;
  },
});
