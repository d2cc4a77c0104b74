import { fieldType } from './field_type.ts';
import { choiceGroup, optionProblems, options, optionValues } from './option_list.ts';

export const radios = fieldType({
  type: 'radios',
  summary: 'One choice, all in view.',
  missing: { code: 'missing_option' },
  layout: 'radiogroup',
  keys: { options },
  problems: optionProblems,
  possibleValues: optionValues,
  check: (_, values) => (values.length > 1 ? { code: 'more_than_one_option' } : undefined),
  control: (field, state) => choiceGroup('radio', field, state),
});
