/** `type: country`. */
import type { Plugin } from '@form-relay/core/index';
import { fieldType, valueProblems } from '@form-relay/core/kit';
import { countryCodes, countryDefinition, countryProblems } from './country_list.ts';

const country = fieldType({
  ...countryDefinition,
  type: 'country',
  card: { title: 'Country', purpose: 'Choice', words: 'nation address land' },
  problems: (field, at) => {
    countryProblems(field, at);
    valueProblems(field, field.countries ?? countryCodes, at);
  },
});

export const plugin: Plugin = { name: 'country', fields: [country] };
