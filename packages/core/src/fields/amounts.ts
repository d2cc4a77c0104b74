/** Numbers and days, in the formats of HTML. */

import { isRealDay } from '@form-relay/base/canonical';
import { jsonNumber } from '@form-relay/base/json';
import { asciiDigits, asciiNumber, floatIn, isMultiple } from '@form-relay/base/unicode';
import { shown } from '@form-relay/schema/diagnostics';
import { isNumber, number, numberPattern, optional, textSchema, withDefault } from '@form-relay/schema/kinds';
import type { Message } from '../messages/message.ts';
import { fieldType, single } from './field.ts';
import { input } from './text.ts';

const step = textSchema(
  (text, at) => {
    if (text !== 'any' && !(isNumber(text) && Number(text) > 0))
      return at.error(`found ${shown(text, at)}; expected a number above 0, or any`);
    return text === 'any' ? text : String(Number(text));
  },
  {
    title: 'number above 0, or `any`',
    type: ['number', 'string'],
    exclusiveMinimum: 0,
    pattern: `^any$|${numberPattern}`,
  },
);

interface Limits {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly step: string;
  readonly value?: readonly string[] | undefined;
}

export function checkNumber(field: Limits, value: string): Message | undefined {
  const { min, max, step } = field;
  const n = floatIn(value);
  if (Number.isNaN(n)) return { code: 'not_a_number' };
  if (min !== undefined && n < min) return { code: 'number_too_small', params: { min } };
  if (max !== undefined && n > max) return { code: 'number_too_large', params: { max } };
  const base = stepBase(field);
  if (step === 'any' || isMultiple(n, base, Number(step))) return undefined;
  return step === '1' && Number.isInteger(base)
    ? { code: 'not_a_whole_number' }
    : { code: 'number_off_step', params: { step, base } };
}

/** HTML counts steps from `min`; without it, from the initial value; without either, from 0. */
const stepBase = ({ min, value: [initial = ''] = [] }: Omit<Limits, 'step'>) =>
  min ?? (floatIn(initial) || 0);

/** Why a text is not a day: `code`, or that its month has fewer days. */
export const noDay = (text: string, code: string): Message =>
  /^\d{4}-(02-(29|30|31)|(04|06|09|11)-31)$/.test(text) && !isRealDay(text)
    ? { code: 'no_such_day', params: { day: text } }
    : { code };

const day = textSchema(
  (text, at) =>
    isRealDay(text)
      ? text
      : at.error(`found ${shown(text, at)}; expected a day that exists, written as 2030-12-31`),
  { title: 'date', type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' },
);

const below = (min: number | string | undefined, max: number | string | undefined) =>
  min !== undefined && max !== undefined && min > max;

/** As JSON numbers. A number that readers of JSON would change, such as an id of 20 digits, remains text. */
export const numbers = (values: readonly string[]) => single(values.map((text) => jsonNumber(text) ?? text));

export const amountTypes = [
  fieldType({
    type: 'number',
    samples: () => [['2'], ['10'], ['0.5']],
    summary: 'A number.',
    card: { title: 'Number', purpose: 'Date and number', words: 'amount quantity integer how many' },
    missing: 'missing_number',
    keys: {
      min: optional('Smallest number.', number()),
      max: optional('Largest number.', number()),
      step: withDefault(
        '1',
        'Distance between allowed numbers, counted from `min`, `value` or 0; or `any`.',
        step,
      ),
    },
    problems: ({ min, max }, at) => {
      if (below(min, max)) at.in('max').error(`found ${max}; expected at least min, which is ${min}`);
    },
    comparedAs: 'number',
    normalizeValue: (_, value) => asciiNumber(value),
    checkValue: checkNumber,
    words: (_, values, { write }) => values.map((decimal) => write({ decimal })),
    json: (_, values) => numbers(values),
    control: (field, state) => {
      const { min, max, step } = field;
      // Without `min`, browsers count steps from the shown value, so a value between steps would shift them all.
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
  }),
  fieldType({
    type: 'date',
    samples: (_, now) => [[sampleDay(now)]],
    summary: 'A day, sent as `YYYY-MM-DD`.',
    card: { title: 'Date', purpose: 'Date and number', words: 'day calendar birthday appointment' },
    missing: 'missing_date',
    keys: { min: optional('First day (`2030-12-31`).', day), max: optional('Last day (`2030-12-31`).', day) },
    problems: ({ min, max }, at) => {
      if (below(min, max)) at.in('max').error(`found ${max}; expected min, which is ${min}, or later`);
    },
    comparedAs: 'date',
    normalizeValue: (_, value) => asciiDigits(value),
    checkValue: ({ min, max }, value) => {
      if (!isRealDay(value)) return noDay(value, 'not_a_date');
      // In this format, the order of texts is the order of dates.
      if (min !== undefined && value < min) return { code: 'date_too_early', params: { min: { day: min } } };
      return max !== undefined && value > max
        ? { code: 'date_too_late', params: { max: { day: max } } }
        : undefined;
    },
    words: (_, values, { write }) => values.map((day) => (isRealDay(day) ? write({ day }) : day)),
    // HTML date inputs have no placeholder.
    control: (field, state) =>
      input('date', field, state, { min: field.min, max: field.max, placeholder: undefined, dir: undefined }),
  }),
] as const;

export const sampleDay = (now: number): string => new Date(now + 7 * 86_400_000).toISOString().slice(0, 10);

/** Without `min`, steps count from midnight. */
export const sampleTimes: readonly string[] = ['10:00', '00:00'];
