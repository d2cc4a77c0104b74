import { sampleTimes } from '@form-relay/core/fields/amounts';
import { fieldType } from '@form-relay/core/fields/field';
import type { Message, Plugin } from '@form-relay/core/index';
import { optional, withDefault } from '@form-relay/schema/schema';
import {
  checkLimits,
  isReversed,
  limit,
  time as scale,
  secondsStep,
  stepMessages,
  timeInput,
  wordsOf,
} from './steps.ts';

const moment = limit(scale, 'a time of day, such as 09:00', 'time');

const time = fieldType({
  type: 'time',
  samples: () => sampleTimes.map((time) => [time]),
  summary: 'A time of day, sent as `HH:MM`; with a `step` of less than a minute, also as `HH:MM:SS`.',
  card: { title: 'Time', purpose: 'Date and number', words: 'hour clock o’clock appointment' },
  missing: 'missing_time',
  keys: {
    min: optional('Earliest time (`09:00`).', moment),
    max: optional('Latest time (`17:30`).', moment),
    step: withDefault(
      '1m',
      'Interval between allowed times, counted from `min`, `value` or midnight.',
      secondsStep,
    ),
  },
  problems: (field, at) => {
    if (isReversed(scale, field))
      at.in('max').error(`found ${field.max}; expected min, which is ${field.min}, or later`);
  },
  takesOne: () => true,
  comparedAs: 'time',
  normalizeValue: (_, value) => {
    const at = scale.read(value);
    return at === undefined ? value : scale.write(at);
  },
  checkValue: (field, value): Message | undefined => {
    const at = scale.read(value);
    return at === undefined ? { code: 'not_a_time' } : checkLimits(scale, field, at);
  },
  words: (_, stored, locale) => stored.map((one) => wordsOf(scale, one, locale)),
  control: (field, state) => timeInput('time', scale, field, state),
});

export const plugin: Plugin = {
  name: 'time',
  fields: [time],
  messages: {
    en: {
      ...stepMessages,
      missing_time: 'Enter a time.',
      not_a_time: 'Enter a time, such as 14:30.',
    },
  },
};
