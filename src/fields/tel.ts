import { fieldType } from './field.ts';
import { checkTextLike, firstProblem, input, textLikeKeys, textLikeProblems } from './text_like.ts';

export const tel = fieldType({
  type: 'tel',
  summary: 'A telephone number, written freely.',
  missing: 'Enter a telephone number.',
  keys: textLikeKeys,
  problems: textLikeProblems,
  check: (field, values, budget) => firstProblem(values, (value) => checkTextLike(field, value, budget)),
  control: (field, state) => input('tel', field, state),
});
