import * as v from 'valibot';
import { finding } from '../schema/finding.ts';
import { wrong } from '../schema/issue.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { isNumber, numberPattern, number as numeric, text } from '../schema/kinds.ts';
import { asciiNumber } from './digits.ts';
import { fieldType } from './field_type.ts';
import { checkNumber, isMultiple, stepBase } from './number_steps.ts';
import { input } from './text_like.ts';

const step = v.pipe(
  text(),
  v.check((value) => value === 'any' || (isNumber(value) && Number(value) > 0), wrong('not_a_step')),
  // Written as in HTML, so `0x10` becomes 16.
  v.transform((value) => (value === 'any' ? value : String(Number(value)))),
  v.metadata({
    jsonSchema: {
      title: 'number above 0, or `any`',
      type: ['number', 'string'],
      exclusiveMinimum: 0,
      pattern: `^any$|${numberPattern}`,
      errorMessage: 'Expected a number above 0, or any.',
    },
  }),
);

export const number = fieldType({
  type: 'number',
  summary: 'A number as HTML writes it, within `min`, `max` and `step`.',
  missing: { code: 'missing_number' },
  inJson: 'number',
  keys: {
    min: optional('The least number.', numeric()),
    max: optional('The greatest number.', numeric()),
    step: withDefault(
      '1',
      'The distance between allowed numbers, counted from `min`, else `value`, else 0; or `any`.',
      step,
    ),
  },
  problems: ({ min, max }) =>
    min !== undefined && max !== undefined && min > max
      ? [finding('value_below', ['max'], { value: max, key: 'min', least: min })]
      : [],
  meant: (_, value) => asciiNumber(value),
  checkValue: checkNumber,
  inWords: (stored, _, { say }) => say.write({ decimal: stored }),
  control: (field, state) => {
    const { min, max, step } = field;
    // Without `min`, browsers count steps from the shown value; a value off the steps would shift them all.
    const shown = Number(state.values[0] ?? stepBase(field));
    const isOn =
      step === 'any' || (Number.isFinite(shown) && isMultiple(shown, stepBase(field), Number(step)));
    return input('number', field, state, {
      min,
      max,
      step: min === undefined && !isOn ? 'any' : step,
      dir: undefined,
    });
  },
});
