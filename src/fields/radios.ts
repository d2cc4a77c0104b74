import { choiceGroup } from './choice_group.ts';
import { fieldType } from './field.ts';
import { areOptions, optionProblems, options } from './options.ts';

export const radios = fieldType({
  type: 'radios',
  summary: 'One choice, all in view.',
  missing: 'Choose one of the options.',
  layout: 'radiogroup',
  keys: { options },
  problems: optionProblems,
  check: (field, values) => {
    if (!areOptions(field, values)) return 'Choose one of the options.';
    return values.length > 1 ? 'Choose one option.' : undefined;
  },
  // One `required` radio button makes the whole group required.
  control: (field, state) => choiceGroup('radio', field, state, { required: state.required }),
});
