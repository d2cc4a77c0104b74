import { finding } from '../schema/finding.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { fieldType } from './field_type.ts';
import { hours } from './times/hours.ts';
import {
  checkLimits,
  type Kind,
  limit,
  limitProblems,
  secondsStep,
  timeInput,
  wordsOf,
} from './times/steps.ts';
import { time as scale } from './times/typed.ts';
import { timeWords } from './times/words.ts';

const kind: Kind = {
  scale,
  zero: 0,
  inWords: timeWords,
  tooEarly: 'time_too_early',
  tooLate: 'time_too_late',
};
const moment = limit(scale, 'not_a_time', 'time');

export const time = fieldType({
  type: 'time',
  summary: 'A time of day, sent as `HH:MM`; with a `step` of less than a minute, also as `HH:MM:SS`.',
  missing: { code: 'missing_time' },
  keys: {
    min: optional('The first time.', moment),
    max: optional('The last time.', moment),
    step: withDefault(
      '1m',
      'The time between allowed values, counted from `min`, else `value`, else midnight.',
      secondsStep,
    ),
    hours: optional(
      'When it is open, the last minute included: `09:00-17:00`, or a list for a day with breaks.',
      hours,
    ),
  },
  hint: ({ hours }) => hours?.hint,
  problems: (field) =>
    limitProblems(kind, field).length > 0
      ? [finding('max_past_midnight', ['max'], { min: field.min ?? '', max: field.max ?? '' })]
      : [],
  takesOne: () => true,
  checkValue: (field, value) => {
    const at = scale.read(value);
    return at === undefined ? { code: 'not_a_time' } : check(field, at);
  },
  stored: (_, value) => scale.write(scale.read(value) ?? 0),
  inWords: (stored, _, { say }) => wordsOf(kind, stored, say),
  control: (field, state) => timeInput('time', kind, field, state),
});

type Configured = Parameters<typeof checkLimits>[1] & {
  readonly hours?: { error(weekday: number, at: number): ReturnType<typeof checkLimits> } | undefined;
};

const check = (field: Configured, at: number) =>
  checkLimits(kind, field, at, (one) => field.hours?.error(0, one));
