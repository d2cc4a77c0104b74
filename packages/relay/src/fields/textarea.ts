import { attributes, html } from '../base/html.ts';
import { optional } from '../schema/keys.ts';
import { number } from '../schema/kinds.ts';
import { fieldType } from './field_type.ts';
import { checkTextLike, controlAttributes, textLikeKeys, textLikeProblems } from './text_like.ts';

export const textarea = fieldType({
  type: 'textarea',
  summary: 'Several lines of text.',
  keys: { ...textLikeKeys, rows: optional('Its height in lines.', number({ least: 1, whole: true })) },
  problems: textLikeProblems,
  checkValue: checkTextLike,
  control: (field, state) => {
    const all = {
      ...controlAttributes(field, state),
      dir: state.dir,
      rows: field.rows,
      placeholder: field.placeholder,
      minlength: field.min_length,
      maxlength: field.max_length,
    };
    // HTML ignores a line break right after the tag.
    return html`<textarea${attributes(all)}>\n${state.values[0]}</textarea>`;
  },
});
