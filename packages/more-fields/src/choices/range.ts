import { attributes, html } from '@form-relay/base/html';
import { asciiNumber, isMultiple } from '@form-relay/base/unicode';
import { checkNumber, numbers } from '@form-relay/core/fields/amounts';
import { fieldType } from '@form-relay/core/fields/field';
import { controlAttributes } from '@form-relay/core/fields/text';
import type { Message, Plugin } from '@form-relay/core/index';
import { en, voiceOf } from '@form-relay/core/messages/message';
import { rangeInFormCode } from '@form-relay/element/built/range_in_form';
import { shown } from '@form-relay/schema/diagnostics';
import { isNumber, number, numberPattern, textSchema } from '@form-relay/schema/scalars';
import { withDefault } from '@form-relay/schema/schema';

interface Slider {
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly value?: readonly string[] | undefined;
}

/**
 * The position for no answer. HTML's sliders always have a value, so a slider without an initial value starts
 * a step below `min`.
 */
const restOf = ({ min, step, value }: Slider): number | undefined =>
  value === undefined ? Number((min - step).toPrecision(15)) : undefined;

const check = ({ min, max, step }: Slider, value: string) =>
  checkNumber({ min, max, step: String(step) }, value);

const distance = textSchema(
  (text, at) =>
    isNumber(text) && Number(text) > 0
      ? Number(text)
      : at.error(`found ${shown(text, at)}; expected a number above 0`),
  { title: 'number above 0', type: ['number', 'string'], exclusiveMinimum: 0, pattern: numberPattern },
);

const range = fieldType({
  type: 'range',
  summary: 'A number on a slider.',
  card: { title: 'Slider', purpose: 'Choice', words: 'range number from to' },
  missing: 'missing_range',
  hint: ({ min, max, value, required }) => ({
    code: value !== undefined || required ? 'range_from_to' : 'range_hint',
    params: { min, max },
  }),
  script: rangeInFormCode,
  keys: {
    min: withDefault('0', 'Smallest number.', number()),
    max: withDefault('100', 'Largest number.', number()),
    step: withDefault('1', 'Distance between allowed numbers, counted from `min`.', distance),
  },
  problems: ({ min, max, step, value, required }, at) => {
    if (min === undefined || max === undefined || step === undefined) return;
    if (min > max) return at.in('max').error(`found ${max}; expected at least min, which is ${min}`);
    if (!isMultiple(max, min, step))
      return at.in('max').error(`${max} is not reached from min, which is ${min}, in steps of ${step}`);
    if (value === undefined) return;
    const wrong: Message | undefined =
      value.length > 1 ? { code: 'more_than_one_value' } : check({ min, max, step }, value[0] ?? '');
    if (wrong) at.in('value').error(`the form would reject this value: "${voiceOf(en).translate(wrong)}"`);
    else if (!required)
      at.in('value').error(
        'with value, an untouched slider would count as an answer; remove value, or add required: true',
      );
  },
  comparedAs: 'number',
  normalizeValue: (field, value) => {
    const rest = restOf(field);
    const typed = asciiNumber(value);
    return rest !== undefined && typed === String(rest) ? '' : typed;
  },
  checkValue: check,
  takesOne: () => true,
  words: (_, stored, { write }) => stored.map((decimal) => write({ decimal })),
  json: (_, stored) => numbers(stored),
  control: (field, state) => {
    const rest = restOf(field);
    const own = {
      ...controlAttributes(field, state),
      // Classes for text controls would draw a box around it.
      class: undefined,
      // HTML does not allow `required` on sliders.
      required: undefined,
      min: rest ?? field.min,
      max: field.max,
      step: field.step,
      value: state.values[0] || (rest ?? field.value?.[0]),
      'data-rest': rest,
    };
    const none = rest === undefined ? undefined : state.locale.translate({ code: 'range_none' });
    // Screen readers read the value from the slider itself.
    const output = { for: state.id, hidden: true, 'aria-hidden': 'true', 'data-none': none };
    return html`<input type="range"${attributes(own)}>\n<output${attributes(output)}></output>`;
  },
});

export const plugin: Plugin = {
  name: 'range',
  fields: [range],
  messages: {
    en: {
      missing_range: 'Move the slider to a value.',
      range_from_to: 'From {min} to {max}.',
      range_hint: 'From {min} to {max}. To give no answer, leave the slider at its start.',
      range_none: 'No answer',
    },
  },
};
