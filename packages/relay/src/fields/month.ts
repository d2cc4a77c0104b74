import { optional, withDefault } from '../schema/keys.ts';
import { number } from '../schema/kinds.ts';
import { fieldType } from './field_type.ts';
import { checkLimits, type Kind, limit, limitProblems, timeInput, wordsOf } from './times/steps.ts';
import { month as scale } from './times/typed.ts';
import { monthWords } from './times/words.ts';

const kind: Kind = {
  scale,
  zero: 1970 * 12,
  inWords: monthWords,
  tooEarly: 'month_too_early',
  tooLate: 'month_too_late',
};
const some = limit(scale, 'not_a_month', 'month');

export const month = fieldType({
  type: 'month',
  summary: 'A month of a year, sent as `YYYY-MM`.',
  missing: { code: 'missing_month' },
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
  problems: (field) => limitProblems(kind, field),
  takesOne: () => true,
  checkValue: (field, value) => {
    const at = scale.read(value);
    return at === undefined ? { code: 'not_a_month' } : checkLimits(kind, field, at);
  },
  stored: (_, value) => scale.write(scale.read(value) ?? 0),
  inWords: (stored, _, { say }) => wordsOf(kind, stored, say),
  control: (field, state) => timeInput('month', kind, field, state),
});
