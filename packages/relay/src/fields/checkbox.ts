import { finding } from '../schema/finding.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { name } from '../schema/kinds.ts';
import { fieldType } from './field_type.ts';
import { worth } from './option_list.ts';
import { tickBox } from './tick_box.ts';

export const checkbox = fieldType({
  type: 'checkbox',
  summary: 'One box to tick, such as consent.',
  missing: { code: 'missing_tick' },
  layout: 'box',
  inJson: 'flag',
  keys: {
    checked_value: withDefault('on', 'What is submitted when the box is ticked.', name()),
    worth: optional('The number that a ticked box stands for in a `formula`, such as a price.', worth()),
  },
  problems: (field) =>
    (field.value ?? [])
      .filter((value) => value !== field.checked_value)
      .map((found) => finding('value_not_of_the_box', ['value'], { found, value: field.checked_value })),
  possibleValues: (field) => [field.checked_value],
  checkValue: (field, value) => (value === field.checked_value ? undefined : { code: 'not_a_tick' }),
  control: (field, state) => tickBox(field, field.checked_value, state),
});
