import { fieldType } from './field.ts';
import { checkTextLike, firstProblem, input, textLikeKeys, textLikeProblems } from './text_like.ts';

export const email = fieldType({
  type: 'email',
  summary: 'An e-mail address: exactly one `@` with characters on each side.',
  missing: 'Enter an e-mail address like name@example.com.',
  keys: textLikeKeys,
  problems: textLikeProblems,
  check: (field, values, budget) =>
    firstProblem(values, (value) =>
      /^[^@]+@[^@]+$/.test(value)
        ? checkTextLike(field, value, budget)
        : 'Enter an e-mail address like name@example.com.',
    ),
  control: (field, state) => input('email', field, state),
});
