import { countryCodes, countryDefinition, countryOptions, countryProblems } from './country_list.ts';
import { fieldType } from './field_type.ts';
import { valueProblems } from './option_list.ts';

export const country = fieldType({
  ...countryDefinition,
  type: 'country',
  problems: (field) => [...countryProblems(field), ...valueProblems(field, field.countries ?? countryCodes)],
  inLanguage: (field, _, language) => ({ options: countryOptions(field, language) }),
});
