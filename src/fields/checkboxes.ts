import { number, optional } from '../schema/kinds.ts';
import { choiceGroup } from './choice_group.ts';
import { fieldType } from './field.ts';
import { areOptions, optionProblems, options } from './options.ts';

interface Limits {
  readonly min_choices?: number | undefined;
  readonly max_choices?: number | undefined;
}

/** Of an optional group, the limits hold once a box is ticked. */
function howMany({ min_choices: min = 0, max_choices: max }: Limits): string | undefined {
  if (max === undefined) return min > 1 ? `Choose at least ${min}.` : undefined;
  if (min === max) return `Choose ${max}.`;
  return min > 1 ? `Choose ${min} to ${max}.` : `Choose at most ${max}.`;
}

export const checkboxes = fieldType({
  type: 'checkboxes',
  summary: 'Any number of choices, all in view. Every chosen value reaches every output.',
  // Not the hint's own words: beside it, they would read as if nothing had happened.
  missing: ({ min_choices: min = 0 }) =>
    min > 1 ? `You chose none. Choose at least ${min}.` : 'Choose at least one option.',
  hint: howMany,
  layout: 'group',
  keys: {
    options,
    min_choices: optional(
      'The fewest choices, when any is made; `required` asks for at least one.',
      number({ least: 0, whole: true }),
    ),
    max_choices: optional('The most choices.', number({ least: 1, whole: true })),
  },
  problems: (field) => {
    const { min_choices: min = 0, max_choices: max = field.options.length } = field;
    const what = field.max_choices === undefined ? 'the number of options' : 'max_choices';
    const message = `found ${min}; expected at most ${what}, which is ${max}`;
    return [...optionProblems(field), ...(min > max ? [{ path: ['min_choices'], message }] : [])];
  },
  check: (field, values) => {
    const { min_choices: min = 0, max_choices: max = Infinity } = field;
    const chosen = new Set(values).size;
    if (!areOptions(field, values)) return 'Choose from the options.';
    return chosen < min || chosen > max ? `You chose ${chosen}. ${howMany(field)}` : undefined;
  },
  // Never `required` on the boxes: HTML would demand every one of them.
  control: (field, state) => choiceGroup('checkbox', field, state),
});
