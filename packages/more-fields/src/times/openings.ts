/** When something is open: `closed` days, and `hours`. */
import type { Diagnostics, Message, Plugin, Schema } from '@form-relay/core/index';
import {
  array,
  didYouMean,
  fieldExtension,
  isMap,
  jsonSchemaOf,
  nearest,
  optional,
  record,
  schema,
  schemaLike,
  shown,
  textSchema,
} from '@form-relay/core/kit';
import { datetime, time } from './scales.ts';
import { dayWords, type Range, rangeWords, weekdayWords, weekWords } from './words.ts';

const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** From Sunday, which is 0: `sunday`, `monday-friday`, `friday to monday`. Else the name that was probably meant. */
function weekdaysIn(written: string): readonly number[] | { readonly near: string | undefined } {
  const [, first = '', last = first] =
    /^([a-z]+?)(?:(?: to | ?[-–] ?)([a-z]+))?$/.exec(written.toLowerCase()) ?? [];
  const [from, to] = [first, last].map((name) => names.indexOf(name)) as [number, number];
  if (from < 0 || to < 0) return { near: nearest(from < 0 ? first || written : last, names) };
  return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, nth) => (from + nth) % 7);
}

/** From Sunday, which is 0. */
export const weekdayOf = (at: number): number => new Date(at * 1000).getUTCDay();

/** The first and the last day, `2030-12-31`, whose order is that of the text. */
interface Days {
  readonly from: string;
  readonly to: string;
}

/** Days and weekdays on which nothing can be chosen. */
export type Closed = readonly (Days | readonly number[])[];

const startOf = (day: string) => datetime.read(`${day} 00:00`);

function daysIn(found: string, at: Diagnostics): Closed[number] | undefined {
  const weekdays = weekdaysIn(found);
  if (!('near' in weekdays)) return weekdays;
  const [, from, to = from] = /^(\d{4}-\d\d-\d\d)(?: ?to ?(\d{4}-\d\d-\d\d))?$/.exec(found) ?? [];
  if (from === undefined || to === undefined)
    return at.error(
      `found ${shown(found, at)}; expected a weekday such as sunday, weekdays such as monday-friday, a day such as 2030-12-31, or days such as 2030-12-24 to 2030-12-26${didYouMean(weekdays.near)}`,
    );
  if (startOf(from) === undefined || startOf(to) === undefined)
    return at.error(`found ${shown(found, at)}; expected a day that exists, written as 2030-12-31`);
  return from > to
    ? at.error(`found ${to}; expected the first day, which is ${from}, or later`)
    : { from, to };
}

export const closedDays = optional(
  'Days that cannot be chosen: weekdays, days, and days in a row, such as `[sunday, 2030-12-24 to 2030-12-26]`.',
  array(textSchema(daysIn, { title: 'weekday, day or days', type: 'string' }), { least: 1 }),
);

export const closedWeekdays = (closed: Closed): readonly number[] => [
  ...new Set(closed.flatMap((one) => ('from' in one ? [] : one))),
];

/** The error in a day, `2030-12-31`. */
export function checkDay(closed: Closed, day: string): Message | undefined {
  const start = startOf(day) ?? 0;
  const isClosed = closed.some((one) =>
    'from' in one ? one.from <= day && day <= one.to : one.includes(weekdayOf(start)),
  );
  return isClosed ? { code: 'closed_day', params: { day: dayWords(start) } } : undefined;
}

/** Days come and go, so only the weekdays are told beforehand. */
export function closedHint(closed: Closed): Message | undefined {
  const weekdays = closedWeekdays(closed);
  return weekdays.length > 0 ? { code: 'closed_days', params: { days: weekdayWords(weekdays) } } : undefined;
}

const closed = fieldExtension({
  name: 'closed',
  types: ['date'],
  keys: { closed: closedDays },
  configure: ({ closed }) =>
    closed && {
      hint: closedHint(closed),
      check: (days) => days.map((day) => checkDay(closed, day)).find(Boolean),
    },
});

/** By weekday, from Sunday; empty where all of the day is closed. */
export type Hours = readonly (readonly Range[])[];

function rangeOf(found: string, at: Diagnostics): Range | undefined {
  const [, first = '', last = ''] = /^(\S+?)(?: to | ?[-–] ?)(\S+)$/.exec(found) ?? [];
  const from = time.read(first);
  // A day ends a second before it.
  const to = /^24[:.]00$/.test(last) ? 86_399 : time.read(last);
  if (from === undefined || to === undefined)
    return at.error(`found ${shown(found, at)}; expected hours such as 09:00-17:00, up to 24:00`);
  return from < to
    ? { from, to }
    : at.error(
        `found ${shown(found, at)}; these hours do not end after they begin; past midnight, write two: 22:00-24:00 and 00:00-02:00`,
      );
}

const range = textSchema(rangeOf, { title: 'hours', type: 'string' });
const several = array(range, { least: 1 });
const ranges: Schema<readonly Range[]> = schema(
  () => ({ anyOf: [jsonSchemaOf(range), jsonSchemaOf(several)] }),
  (value, at) => {
    if (Array.isArray(value)) return several(value, at);
    const one = range(value, at);
    return one && [one];
  },
);

export const hours: Schema<Hours> = schemaLike(ranges, (value, at) => {
  const all = ranges(value, at);
  return all && names.map(() => all);
});

const byWeekday = record(
  ranges,
  (key) => {
    const found = weekdaysIn(key);
    return 'near' in found
      ? `found "${key}"; expected a weekday such as sunday, or weekdays such as monday-friday${didYouMean(found.near)}`
      : undefined;
  },
  '{monday-friday: 09:00-17:00, saturday: 10:00-12:00}',
);

/** The same, or by weekday, where weekdays without hours are closed. */
export const weekHours: Schema<Hours> = schema(
  () => ({ anyOf: [jsonSchemaOf(hours), jsonSchemaOf(byWeekday)] }),
  (value, at) => {
    if (!isMap(value)) return hours(value, at);
    const week: (readonly Range[])[] = names.map(() => []);
    for (const [key, open] of byWeekday(value, at) ?? []) {
      const weekdays = weekdaysIn(key);
      if ('near' in weekdays) continue;
      if (weekdays.some((weekday) => week[weekday]?.length))
        at.in(key).error(
          `"${key}" has a weekday that has hours already; write its hours as one list, such as [09:00-12:00, 13:00-17:00]`,
          { aboutKey: true },
        );
      for (const weekday of weekdays) week[weekday] = open;
    }
    return week;
  },
);

export function checkHours(hours: Hours, weekday: number, seconds: number): Message | undefined {
  const open = hours[weekday] ?? [];
  return open.some(({ from, to }) => from <= seconds && seconds <= to)
    ? undefined
    : { code: 'closed_time', params: { hours: rangeWords(open) } };
}

export const hoursHint = (hours: Hours): Message => ({
  code: 'open_hours',
  params: { hours: weekWords(hours) },
});

export const hoursMessages = {
  closed_time: 'Open: {hours}. Choose another time.',
  open_hours: 'Open: {hours}',
};

export const closedMessages = {
  closed_day: 'Closed: {day}. Choose another day.',
  closed_days: 'Closed: {days}',
};

export const plugin: Plugin = {
  name: 'closed',
  fieldExtensions: [closed],
  messages: { en: closedMessages },
};
