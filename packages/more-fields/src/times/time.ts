import type { Message, Plugin } from '@form-relay/core/index';
import { fieldType, halfHours, optional, withDefault } from '@form-relay/core/kit';
import { checkHours, hours, hoursHint, hoursMessages } from './openings.ts';
import { time as scale } from './scales.ts';
import { checkLimits, isReversed, limit, secondsStep, stepMessages, timeInput, wordsOf } from './steps.ts';

const moment = limit(scale, 'a time of day, such as 09:00', 'time');

const time = fieldType({
  type: 'time',
  samples: () => halfHours.map((time) => [time]),
  summary: 'A time of day, sent as `HH:MM`; with a `step` of less than a minute, also as `HH:MM:SS`.',
  card: { title: 'Time', purpose: 'Date and number', words: 'hour clock o’clock appointment opening hours' },
  missing: 'missing_time',
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
  hint: ({ hours }) => hours && hoursHint(hours),
  problems: (field, at) => {
    const { min, max } = field;
    if (isReversed(scale, field))
      at.in('max').error(
        `found ${max}; expected min, which is ${min}, or later; past midnight, write hours: [${min}-24:00, 00:00-${max}]`,
      );
  },
  takesOne: () => true,
  checkValue: (field, value): Message | undefined => {
    const at = scale.read(value);
    return at === undefined
      ? { code: 'not_a_time' }
      : checkLimits(scale, field, at, (one) => field.hours && checkHours(field.hours, 0, one));
  },
  store: (_, value) => scale.write(scale.read(value) ?? 0),
  words: (_, stored, locale) => stored.map((one) => wordsOf(scale, one, locale)),
  control: (field, state) => timeInput('time', scale, field, state),
});

export const plugin: Plugin = {
  name: 'time',
  fields: [time],
  messages: {
    en: {
      ...stepMessages,
      ...hoursMessages,
      missing_time: 'Enter a time.',
      not_a_time: 'Enter a time, such as 14:30.',
    },
  },
};
