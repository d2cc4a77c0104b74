import { parseUrl } from '../base/url.ts';
import type { Say } from '../messages/message.ts';
import { fieldType } from './field_type.ts';
import { checkTextLike, input, textLikeKeys, textLikeProblems } from './text_like.ts';

export const url = fieldType({
  type: 'url',
  summary: 'An absolute `http:` or `https:` address.',
  missing: { code: 'missing_url' },
  keys: textLikeKeys,
  problems: textLikeProblems,
  checkValue: (field, value) =>
    /^https?:\/\/[^\s\0-\x1f\x7f-\x9f]+$/i.test(value) && parseUrl(value)
      ? checkTextLike(field, value)
      : { code: 'not_a_url' },
  control: (field, state) => input('url', field, state, field.pattern ? undefined : webAddress(state.say)),
});

/** Browsers accept any scheme, and spaces. */
const webAddress = (say: Say) => ({
  pattern: '[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\p{Cc}]+',
  title: say({ code: 'url_format' }),
});
