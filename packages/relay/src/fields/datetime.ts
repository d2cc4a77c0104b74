import * as v from 'valibot';
import type { Message } from '../messages/message.ts';
import { finding } from '../schema/finding.ts';
import { wrong } from '../schema/issue.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { asciiDigits } from './digits.ts';
import { fieldType } from './field_type.ts';
import { type Closed, weekdayOf } from './times/closed.ts';
import { type Hours, weekHours } from './times/hours.ts';
import { closedDays } from './times/late.ts';
import {
  checkLimits,
  type Kind,
  limit,
  limitProblems,
  secondsStep,
  timeInput,
  wordsOf,
} from './times/steps.ts';
import { dayOf, noDay, datetime as scale, secondsOfDay } from './times/typed.ts';
import { datetimeWords, dayWords } from './times/words.ts';
import { offsetInWords, offsetOfLocal } from './times/zone.ts';

const kind: Kind = {
  scale,
  zero: 0,
  inWords: datetimeWords,
  tooEarly: 'time_too_early',
  tooLate: 'time_too_late',
};
const moment = limit(scale, 'not_a_datetime', 'day and time');

interface Openings {
  readonly closed?: Closed | undefined;
  readonly hours?: Hours | undefined;
}

export const datetime = fieldType({
  type: 'datetime',
  summary:
    'A day and a time in the form’s `time_zone`, delivered with its offset: `2030-12-31T14:30:00+01:00`.',
  missing: { code: 'missing_datetime' },
  keys: {
    min: optional('The first moment, `2030-12-31 14:30`.', moment),
    max: optional('The last moment.', moment),
    step: withDefault(
      '1m',
      'The time between allowed values, counted from `min`, else `value`, else midnight. A day is a whole number of steps.',
      v.pipe(
        secondsStep,
        v.check((seconds) => 86_400 % seconds === 0, wrong('step_not_of_a_day')),
      ),
    ),
    closed: closedDays,
    hours: optional(
      'When it is open, the last minute included: `09:00-17:00`, a list for days with breaks, or a map by weekday, where weekdays without hours are closed: `{monday-friday: [09:00-12:00, 13:00-17:00], saturday: 10:00-12:00}`.',
      weekHours,
    ),
  },
  hint: ({ closed, hours }) => (hours ? hours.without(closed?.weekdays ?? []).hint : closed?.hint),
  problems: (field) => limitProblems(kind, field),
  warnings: (_, zone) => (zone === undefined ? [finding('time_zone_unnamed', ['type'])] : []),
  takesOne: () => true,
  checkValue: (field, value, zone = 'UTC') => {
    const at = scale.read(value);
    if (at === undefined) return noDay(asciiDigits(value).trim().slice(0, 10), 'not_a_datetime');
    return checkLimits(kind, field, at, (one) => checkOpen(field, one) ?? checkExists(zone, one));
  },
  stored: (_, value, { zone = 'UTC' }) => {
    const at = scale.read(value) ?? 0;
    return `${new Date(at * 1000).toISOString().slice(0, 19)}${offsetInWords(offsetOfLocal(zone, at) ?? 0)}`;
  },
  inWords: (stored, _, { say }) => {
    const [, local = stored, offset] = /^([\d-]+T[\d:]+)([+-]\d\d:\d\d)$/.exec(stored) ?? [];
    return `${wordsOf(kind, local, say)}${offset === undefined ? '' : ` (${offset})`}`;
  },
  usesZone: true,
  control: (field, state) => timeInput('datetime-local', kind, field, state),
});

function checkOpen({ closed, hours }: Openings, at: number): Message | undefined {
  const isClosed = closed?.error(dayOf(at));
  if (isClosed || !hours) return isClosed;
  const weekday = weekdayOf(at);
  if (hours.on(weekday).length === 0)
    return { code: 'closed_day', params: { day: dayWords(at - secondsOfDay(at)) } };
  return hours.error(weekday, secondsOfDay(at));
}

const checkExists = (zone: string, at: number): Message | undefined =>
  offsetOfLocal(zone, at) === undefined
    ? { code: 'skipped_time', params: { time: datetimeWords(at) } }
    : undefined;
