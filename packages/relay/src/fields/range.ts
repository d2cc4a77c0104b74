import * as v from 'valibot';
import { rangeInFormCode } from '../../built/range_in_form.ts';
import { attributes, html } from '../base/html.ts';
import { say } from '../messages/message.ts';
import { finding } from '../schema/finding.ts';
import { wrong } from '../schema/issue.ts';
import { withDefault } from '../schema/keys.ts';
import { isNumber, number, numberPattern, text } from '../schema/kinds.ts';
import { asciiNumber } from './digits.ts';
import { fieldType } from './field_type.ts';
import { checkNumber, isMultiple } from './number_steps.ts';
import { controlAttributes } from './text_like.ts';

interface Slider {
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly value?: readonly string[] | undefined;
}

/**
 * HTML's sliders always have a value. Without an initial one, a slider begins a step below `min`, where it gives no
 * answer. With one, where it stands is the answer.
 */
const restOf = ({ min, step, value }: Slider): number | undefined =>
  value === undefined ? Number((min - step).toPrecision(15)) : undefined;

const check = ({ min, max, step }: Slider, value: string) =>
  checkNumber({ min, max, step: String(step) }, value);

const distance = v.pipe(
  text(),
  v.check((value) => isNumber(value) && Number(value) > 0, wrong('not_a_distance')),
  v.transform(Number),
  v.metadata({
    jsonSchema: {
      title: 'number above 0',
      type: ['number', 'string'],
      exclusiveMinimum: 0,
      pattern: numberPattern,
      errorMessage: 'Expected a number above 0.',
    },
  }),
);

export const range = fieldType({
  type: 'range',
  summary: 'A number on a slider.',
  missing: { code: 'missing_range' },
  hint: ({ min, max, value, required }) => ({
    code: value !== undefined || required ? 'range_from_to' : 'range_hint',
    params: { min, max },
  }),
  script: rangeInFormCode,
  inJson: 'number',
  keys: {
    min: withDefault('0', 'The least number.', number()),
    max: withDefault('100', 'The greatest number.', number()),
    step: withDefault('1', 'The distance between allowed numbers, counted from `min`.', distance),
  },
  problems: (field) => {
    const { min, max, step, value, required } = field;
    if (min > max) return [finding('value_below', ['max'], { value: max, key: 'min', least: min })];
    if (!isMultiple(max, min, step)) return [finding('max_off_step', ['max'], { max, min, step })];
    if (value === undefined) return [];
    const wrongValue =
      value.length > 1 ? ({ code: 'more_than_one_value' } as const) : check(field, value[0] ?? '');
    if (wrongValue) return [finding('value_refused', ['value'], { says: say(wrongValue) })];
    return required ? [] : [finding('range_value_optional', ['value'])];
  },
  meant: (field, value) => {
    const rest = restOf(field);
    const number = asciiNumber(value);
    return rest !== undefined && number === String(rest) ? '' : number;
  },
  checkValue: check,
  inWords: (stored, _, { say }) => say.write({ decimal: stored }),
  takesOne: () => true,
  control: (field, state) => {
    const rest = restOf(field);
    const own = {
      ...controlAttributes(field, state),
      // Classes for controls to type in draw a box around it.
      class: undefined,
      // HTML's sliders cannot be required.
      required: undefined,
      min: rest ?? field.min,
      max: field.max,
      step: field.step,
      value: state.values[0] || (rest ?? field.value?.[0]),
      'data-rest': rest,
    };
    const none = rest === undefined ? undefined : state.say({ code: 'range_none' });
    // The slider itself says its value.
    const shown = { for: state.id, hidden: true, 'aria-hidden': 'true', 'data-none': none };
    return html`<input type="range"${attributes(own)}>\n<output${attributes(shown)}></output>`;
  },
});
