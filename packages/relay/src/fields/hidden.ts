import { attributes, html } from '../base/html.ts';
import { fieldType } from './field_type.ts';
import { checkTextLike, textLikeKeys } from './text_like.ts';

/** Checked for its length only. */
export const hidden = fieldType({
  type: 'hidden',
  summary:
    'A value that the page sets and the visitor does not see. Only `required`, `max_length` and the limit of 10,000 bytes are checked.',
  layout: 'bare',
  keys: { max_length: textLikeKeys.max_length },
  checkValue: checkTextLike,
  control: (field, { id, values, invalid, describedBy }) => {
    const all = {
      type: 'hidden',
      id,
      name: field.name,
      value: values[0] ?? '',
      // HTML allows neither here, but SPEC wants them on every invalid field, and the message is visible.
      'aria-invalid': invalid && 'true',
      'aria-describedby': describedBy,
    };
    return html`<input${attributes(all)}>`;
  },
});
