import type { Message } from '../messages/message.ts';
import { finding } from '../schema/finding.ts';
import { optional } from '../schema/keys.ts';
import { number } from '../schema/kinds.ts';
import { fieldType } from './field_type.ts';
import { choiceGroup, optionProblems, options, optionValues } from './option_list.ts';

interface Limits {
  readonly min_choices?: number | undefined;
  readonly max_choices?: number | undefined;
}

/** In an optional group, the limits apply once a box is ticked. */
function hint({ min_choices: min = 0, max_choices: max }: Limits): Message | undefined {
  if (max === undefined) return min > 1 ? { code: 'choose_at_least', params: { min } } : undefined;
  if (min === max) return { code: 'choose_exactly', params: { max } };
  return min > 1
    ? { code: 'choose_range', params: { min, max } }
    : { code: 'choose_at_most', params: { max } };
}

/** The error for a selection that violates `hint`. */
function wrongNumber({ min_choices: min = 0, max_choices: max }: Limits, chosen: number): Message {
  if (max === undefined) return { code: 'too_few_options', params: { chosen, min } };
  if (min === max) return { code: 'wrong_number_of_options', params: { chosen, max } };
  return min > 1
    ? { code: 'options_outside_range', params: { chosen, min, max } }
    : { code: 'too_many_options', params: { chosen, max } };
}

export const checkboxes = fieldType({
  type: 'checkboxes',
  summary: 'Any number of choices, all in view. Every chosen value reaches every output.',
  missing: ({ min_choices: min = 0 }) =>
    min > 1 ? { code: 'missing_several_options', params: { min } } : { code: 'missing_options' },
  hint,
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
    const key = field.max_choices === undefined ? 'options' : 'max_choices';
    const isAbove =
      min > max ? [finding('value_above', ['min_choices'], { value: min, key, most: max })] : [];
    return [...optionProblems(field), ...isAbove];
  },
  possibleValues: optionValues,
  takesSeveral: () => true,
  check: (field, values) => {
    const { min_choices: min = 0, max_choices: max = Infinity } = field;
    const chosen = new Set(values).size;
    return chosen < min || chosen > max ? wrongNumber(field, chosen) : undefined;
  },
  control: (field, state) => choiceGroup('checkbox', field, state),
});
