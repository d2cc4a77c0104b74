import { fieldType } from './field.ts';
import { checkTextLike, input, textLikeKeys, textLikeProblems } from './text_like.ts';

export const tel = fieldType({
  type: 'tel',
  summary: 'A telephone number, written freely.',
  missing: { code: 'missing_tel' },
  keys: textLikeKeys,
  problems: textLikeProblems,
  checkValue: checkTextLike,
  control: (field, state) => input('tel', field, state),
});
