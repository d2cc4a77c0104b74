import { isAddress } from '../base/same_address.ts';
import { fieldType } from './field_type.ts';
import { checkTextLike, input, textLikeKeys, textLikeProblems } from './text_like.ts';

export const email = fieldType({
  type: 'email',
  summary: 'An e-mail address: exactly one `@` with characters on each side.',
  missing: { code: 'missing_email' },
  keys: textLikeKeys,
  problems: textLikeProblems,
  checkValue: (field, value) => (isAddress(value) ? checkTextLike(field, value) : { code: 'not_an_email' }),
  control: (field, state) => input('email', field, state),
});
