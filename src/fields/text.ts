import { fieldType } from './field.ts';
import { checkTextLike, firstProblem, input, textLikeKeys, textLikeProblems } from './text_like.ts';

export const text = fieldType({
  type: 'text',
  summary: 'One line of text.',
  keys: textLikeKeys,
  problems: textLikeProblems,
  check: (field, values, budget) => firstProblem(values, (value) => checkTextLike(field, value, budget)),
  control: (field, state) => input('text', field, state),
});
