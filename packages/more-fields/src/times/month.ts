/** `type: month`. */
import type { Plugin } from '@form-relay/core/index';
import { daysAfter, fieldType, number, optional, withDefault } from '@form-relay/core/kit';
import { month as scale } from './scales.ts';
import { checkLimits, type Kind, limit, limitProblems, stepMessages, timeInput, wordsOf } from './steps.ts';
import { monthWords } from './words.ts';

const kind: Kind = {
  scale,
  zero: 1970 * 12,
  inWords: monthWords,
  tooEarly: 'month_too_early',
  tooLate: 'month_too_late',
};
const some = limit(scale, 'a month, such as 2030-12', 'month');

const month = fieldType({
  type: 'month',
  samples: (_, now) => daysAfter(now).map((day) => [day.slice(0, 7)]),
  summary: 'A month of a year, sent as `YYYY-MM`.',
  card: { title: 'Month', purpose: 'Date and number', words: 'year calendar expiry' },
  missing: 'missing_month',
  keys: {
    min: optional('The first month.', some),
    max: optional('The last month.', some),
    step: withDefault(
      '1',
      'The months between allowed values, counted from `min`, else `value`, else January.',
      number({ least: 1, most: 1200, whole: true }),
    ),
  },
  // Desktop Firefox and Safari show a line of text.
  hint: () => ({ code: 'month_format' }),
  problems: (field, at) => limitProblems(kind, field, at),
  takesOne: () => true,
  checkValue: (field, value) => {
    const at = scale.read(value);
    return at === undefined ? { code: 'not_a_month' } : checkLimits(kind, field, at);
  },
  store: (_, value) => scale.write(scale.read(value) ?? 0),
  words: (_, stored, locale) => stored.map((one) => wordsOf(kind, one, locale)),
  control: (field, state) => timeInput('month', kind, field, state),
});

export const plugin: Plugin = {
  name: 'month',
  fields: [month],
  messages: {
    en: {
      ...stepMessages,
      missing_month: 'Enter a month.',
      not_a_month: 'Enter a month, such as 2030-12.',
      month_format: 'A month like 2030-12',
      month_too_early: 'Enter a month that is {min} or later.',
      month_too_late: 'Enter a month that is {max} or earlier.',
    },
  },
};
