import * as v from 'valibot';
import { finding } from '../schema/finding.ts';
import { wrong } from '../schema/issue.ts';
import { optional } from '../schema/keys.ts';
import { text } from '../schema/kinds.ts';
import { asciiDigits } from './digits.ts';
import { fieldType } from './field_type.ts';
import { input } from './text_like.ts';
import { closedDays } from './times/late.ts';
import { isRealDay, noDay } from './times/typed.ts';

const day = v.pipe(
  text(),
  v.check(isRealDay, wrong('not_a_day')),
  v.metadata({ jsonSchema: { title: 'date', type: 'string', format: 'date' } }),
);

export const date = fieldType({
  type: 'date',
  summary: 'A day, written `YYYY-MM-DD`.',
  missing: { code: 'missing_date' },
  keys: {
    min: optional('The first day.', day),
    max: optional('The last day.', day),
    closed: closedDays,
  },
  hint: ({ closed }) => closed?.hint,
  problems: ({ min, max }) =>
    min !== undefined && max !== undefined && min > max
      ? [finding('day_too_early', ['max'], { value: max, key: 'min', earliest: min })]
      : [],
  meant: (_, value) => asciiDigits(value),
  checkValue: ({ min, max, closed }, value) => {
    if (!isRealDay(value)) return noDay(value, 'not_a_date');
    // In this format, text order is date order.
    if (min !== undefined && value < min) return { code: 'date_too_early', params: { min: { day: min } } };
    if (max !== undefined && value > max) return { code: 'date_too_late', params: { max: { day: max } } };
    return closed?.error(value);
  },
  inWords: (stored, _, { say }) => (isRealDay(stored) ? say.write({ day: stored }) : stored),
  // HTML has no placeholder for date inputs.
  control: (field, state) =>
    input('date', field, state, { min: field.min, max: field.max, placeholder: undefined, dir: undefined }),
});
