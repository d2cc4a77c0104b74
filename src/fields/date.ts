import * as v from 'valibot';
import { expected, optional, text } from '../schema/kinds.ts';
import { fieldType } from './field.ts';
import { firstProblem, input } from './text_like.ts';

const day = v.pipe(
  text(),
  v.check(isRealDay, expected('a day that exists, written as 2030-12-31')),
  v.metadata({ jsonSchema: { title: 'date', type: 'string', format: 'date' } }),
);

export const date = fieldType({
  type: 'date',
  summary: 'A day, written `YYYY-MM-DD`.',
  missing: 'Enter a date, such as 2030-12-31.',
  keys: {
    min: optional('The first day.', day),
    max: optional('The last day.', day),
  },
  problems: ({ min, max }) =>
    min !== undefined && max !== undefined && min > max
      ? [{ path: ['max'], message: `found ${max}; expected min, which is ${min}, or later` }]
      : [],
  check: ({ min, max }, values) =>
    firstProblem(values, (value) => {
      if (!isRealDay(value)) return 'Enter a date, such as 2030-12-31.';
      // In this form the order of texts is the order of days.
      if (min !== undefined && value < min) return `Enter a date that is ${min} or later.`;
      if (max !== undefined && value > max) return `Enter a date that is ${max} or earlier.`;
      return undefined;
    }),
  // HTML gives a date input no placeholder.
  control: (field, state) =>
    input('date', field, state, { min: field.min, max: field.max, placeholder: undefined }),
});

function isRealDay(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value) || value.startsWith('0000')) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}
