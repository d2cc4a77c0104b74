import { fieldType } from './field_type.ts';
import { checkTextLike, input, textLikeKeys, textLikeProblems } from './text_like.ts';

export const text = fieldType({
  type: 'text',
  summary: 'One line of text.',
  keys: textLikeKeys,
  problems: textLikeProblems,
  checkValue: checkTextLike,
  control: (field, state) => input('text', field, state),
});
