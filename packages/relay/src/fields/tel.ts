import { finding } from '../schema/finding.ts';
import { fieldType } from './field_type.ts';
import { latePhone, phoneCountry } from './phone_keys.ts';
import { checkTextLike, input, textLikeKeys, textLikeProblems } from './text_like.ts';

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
