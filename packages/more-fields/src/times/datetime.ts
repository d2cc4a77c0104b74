import { offsetOfLocal, ownTimeZone } from '@form-relay/base/time_zone';
import { asciiDigits } from '@form-relay/base/unicode';
import { noDay, sampleDay, sampleTimes } from '@form-relay/core/fields/amounts';
import { fieldType } from '@form-relay/core/fields/field';
import type { Message, Plugin, Submission } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { optional, schemaLike, withDefault } from '@form-relay/schema/schema';
import {
  checkLimits,
  isReversed,
  limit,
  datetime as scale,
  secondsStep,
  stepMessages,
  timeInput,
  wordsOf,
} from './steps.ts';

const moment = limit(scale, 'a day and a time, such as 2030-12-31 14:30', 'day and time');

const zoneOf = ({ form }: Submission): string => form.provided.get('time_zone') ?? 'UTC';

const datetime = fieldType({
  type: 'datetime',
  samples: (_, now) => sampleTimes.map((time) => [`${sampleDay(now)}T${time}`]),
  summary: 'A day and a time in the form’s `time_zone`, sent with its offset: `2030-12-31T14:30:00+01:00`.',
  card: {
    title: 'Date and time',
    purpose: 'Date and number',
    words: 'datetime appointment booking reservation slot',
  },
  missing: 'missing_datetime',
  keys: {
    min: optional('Earliest time (`2030-12-31 14:30`).', moment),
    max: optional('Latest time (`2030-12-31 18:00`).', moment),
    step: withDefault(
      '1m',
      'Interval between allowed times, counted from `min`, `value` or midnight. A day must be a multiple of it.',
      schemaLike(secondsStep, (value, at) => {
        const seconds = secondsStep(value, at);
        return seconds === undefined || 86_400 % seconds === 0
          ? seconds
          : at.error('a day must be a whole number of steps, such as 15m, 1h or 8h');
      }),
    ),
  },
  problems: (field, at) => {
    if (isReversed(scale, field))
      at.in('max').error(`found ${field.max}; expected min, which is ${field.min}, or later`);
  },
  takesOne: () => true,
  comparedAs: 'datetime',
  normalizeValue: (_, value) => {
    const at = scale.read(value);
    return at === undefined ? value : scale.write(at);
  },
  checkValue: (field, value): Message | undefined => {
    const at = scale.read(value);
    if (at === undefined) return noDay(asciiDigits(value).trim().slice(0, 10), 'not_a_datetime');
    return checkLimits(scale, field, at);
  },
  store: (_, value, submission) => {
    const at = scale.read(value) ?? 0;
    const zone = zoneOf(submission);
    // A time that is skipped when clocks go forward has the offset of the day before.
    const offset = offsetOfLocal(zone, at) ?? offsetOfLocal(zone, at - 86_400) ?? 0;
    return `${new Date(at * 1000).toISOString().slice(0, 19)}${offsetInWords(offset)}`;
  },
  words: (_, stored, locale) =>
    stored.map((one) => {
      const [, local = one, offset] = /^([\d-]+T[\d:]+)([+-]\d\d:\d\d)$/.exec(one) ?? [];
      return `${wordsOf(scale, local, locale)}${offset === undefined ? '' : ` (${offset})`}`;
    }),
  control: (field, state) => timeInput('datetime-local', scale, field, state),
});

/** In the format of RFC 3339, which has whole minutes: `+01:00`. */
function offsetInWords(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60);
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

const zoneWarning = feature({
  name: 'datetime',
  after: ['time_zone'],
  configure: ({ fields, pathOf, provided }, at) => {
    if (provided.get('time_zone') !== undefined) return undefined;
    for (const field of fields)
      if (field.type === 'datetime' || field.inputs?.all.some(({ type }) => type === 'datetime'))
        at.in(...pathOf(field), 'type').warning(
          'times are in UTC, because no time zone is set; add time_zone, such as time_zone: Europe/Berlin, to the form or at the top (or UTC if that is intended)',
          { fix: [[[...at.path, 'time_zone'], ownTimeZone()]] },
        );
    return undefined;
  },
});

export const plugin: Plugin = {
  name: 'datetime',
  fields: [datetime],
  features: [zoneWarning],
  messages: {
    en: {
      ...stepMessages,
      missing_datetime: 'Enter a date and a time.',
      not_a_datetime: 'Enter a date and a time, such as 2030-12-31 14:30.',
    },
  },
};
