import { parseUrl } from '../url.ts';
import { fieldType } from './field.ts';
import { checkTextLike, firstProblem, input, textLikeKeys, textLikeProblems } from './text_like.ts';

export const url = fieldType({
  type: 'url',
  summary: 'An absolute `http:` or `https:` address.',
  missing: 'Enter a web address like https://example.com.',
  keys: textLikeKeys,
  problems: textLikeProblems,
  check: (field, values, budget) =>
    firstProblem(values, (value) =>
      /^https?:\/\/[^\s\0-\x1f\x7f-\x9f]+$/i.test(value) && parseUrl(value)
        ? checkTextLike(field, value, budget)
        : 'Enter a web address like https://example.com.',
    ),
  // Browsers take any scheme, and spaces.
  control: (field, state) =>
    input(
      'url',
      field,
      state,
      field.pattern
        ? {}
        : {
            pattern: '[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\p{Cc}]+',
            title: 'A web address like https://example.com',
          },
    ),
});
