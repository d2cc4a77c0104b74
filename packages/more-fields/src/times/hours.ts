/** `hours`: when something is open. */
import type { Diagnostics, Message, Schema } from '@form-relay/core/index';
import {
  array,
  didYouMean,
  isMap,
  jsonSchemaOf,
  record,
  schema,
  shown,
  textSchema,
} from '@form-relay/core/kit';
import { time } from './scales.ts';
import { weekdaysIn } from './weekdays.ts';
import { type Range, rangeWords, weekWords } from './words.ts';

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

/** When something is open, by weekday from Sunday. */
export class Hours {
  readonly #week: readonly (readonly Range[])[];

  constructor(week: readonly (readonly Range[])[]) {
    this.#week = week;
  }

  /** The same without closed weekdays. */
  without(closed: readonly number[]): Hours {
    return new Hours(this.#week.map((ranges, weekday) => (closed.includes(weekday) ? [] : ranges)));
  }

  /** Empty where all of the day is closed. */
  on(weekday: number): readonly Range[] {
    return this.#week[weekday] ?? [];
  }

  error(weekday: number, seconds: number): Message | undefined {
    const open = this.on(weekday);
    return open.some(({ from, to }) => from <= seconds && seconds <= to)
      ? undefined
      : { code: 'closed_time', params: { hours: rangeWords(open) } };
  }

  get hint(): Message {
    return { code: 'open_hours', params: { hours: weekWords(this.#week) } };
  }
}

export const hours: Schema<Hours> = schema(
  () => jsonSchemaOf(ranges),
  (value, at) => {
    const all = ranges(value, at);
    return all && new Hours(Array.from({ length: 7 }, () => all));
  },
);

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
    const week: (readonly Range[])[] = Array.from({ length: 7 }, () => []);
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
    return new Hours(week);
  },
);

export const hoursMessages = {
  closed_time: 'Open: {hours}. Choose another time.',
  open_hours: 'Open: {hours}',
};
