import { late } from '../base/late.ts';
import { finding } from '../schema/finding.ts';
import { lateSchema, optional } from '../schema/keys.ts';
import { fieldType } from './field_type.ts';
import { checkTextLike, input, textLikeKeys, textLikeProblems } from './text_like.ts';

/** The key `country` of `tel`. Its library is large, so other keys and values of this name should not load it. */
export const latePhone = late(() => import('./phone.ts'), 'country:', 'country"', "country'", 'country :');

const phoneCountry = optional(
  'Asks for the country beside the number, checks the number, and delivers it as E.164, such as `+4930901820`: `true`, or the code of the country that is chosen at first, such as `DE`.',
  lateSchema(latePhone, (loaded) => loaded.phoneCountry),
);

export const tel = fieldType({
  type: 'tel',
  summary: 'A telephone number, written freely; with `country`, one that exists, with its country.',
  missing: { code: 'missing_tel' },
  keys: { ...textLikeKeys, country: phoneCountry },
  problems: (field) => [
    ...textLikeProblems(field),
    ...(['pattern', 'min_length', 'max_length'] as const)
      .filter((key) => field.country && field[key] !== undefined)
      .map((key) => finding('key_of_free_tel', [key])),
  ],
  inLanguage: ({ country }, _, language) =>
    country ? { callable: latePhone.loaded.phoneCountries(language) } : {},
  checkValue: (field, value) =>
    field.country ? latePhone.loaded.checkPhone(value) : checkTextLike(field, value),
  takesOne: ({ country }) => country !== undefined,
  also: ({ country }) => country && latePhone.loaded.alsoOfPhone,
  control: (field, state) =>
    field.country ? latePhone.loaded.phoneControl(field, state) : input('tel', field, state),
});
