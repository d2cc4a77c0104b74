/** `closed`: days that cannot be chosen. */
import type { Diagnostics, Message, Plugin } from '@form-relay/core/index';
import {
  array,
  didYouMean,
  fieldExtension,
  jsonSchemaOf,
  optional,
  schema,
  shown,
  textSchema,
} from '@form-relay/core/kit';
import { datetime } from './scales.ts';
import { weekdaysIn } from './weekdays.ts';
import { dayWords, weekdayWords } from './words.ts';

/** The first and the last day, `2030-12-31`, whose order is that of the text. */
interface Days {
  readonly from: string;
  readonly to: string;
}

type Entry = Days | readonly number[];

const startOf = (day: string) => datetime.read(`${day} 00:00`);

function entryOf(found: string, at: Diagnostics): Entry | undefined {
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

/** Weekdays and days on which nothing can be chosen. */
export class Closed {
  readonly #days: readonly Days[];
  readonly weekdays: readonly number[];

  constructor(entries: readonly Entry[]) {
    this.weekdays = [...new Set(entries.flatMap((one) => ('from' in one ? [] : one)))];
    this.#days = entries.flatMap((one) => ('from' in one ? one : []));
  }

  /** The error in a day, `2030-12-31`. */
  error(day: string): Message | undefined {
    const start = startOf(day) ?? 0;
    const isClosed =
      this.weekdays.includes(weekdayOf(start)) || this.#days.some(({ from, to }) => from <= day && day <= to);
    return isClosed ? { code: 'closed_day', params: { day: dayWords(start) } } : undefined;
  }

  /** Days come and go, so only the weekdays are told beforehand. */
  get hint(): Message | undefined {
    if (this.weekdays.length === 0) return undefined;
    return { code: 'closed_days', params: { days: weekdayWords(this.weekdays) } };
  }
}

/** From Sunday, which is 0. */
export const weekdayOf = (at: number): number => new Date(at * 1000).getUTCDay();

const list = array(textSchema(entryOf, { title: 'weekday, day or days', type: 'string' }), { least: 1 });

export const closedDays = optional(
  'Days that cannot be chosen: weekdays, days, and days in a row, such as `[sunday, 2030-12-24 to 2030-12-26]`.',
  schema(
    () => jsonSchemaOf(list),
    (value, at) => {
      const entries = list(value, at);
      return entries && new Closed(entries);
    },
  ),
);

const closed = fieldExtension({
  name: 'closed',
  types: ['date'],
  keys: { closed: closedDays },
  configure: ({ closed }) =>
    closed && {
      hint: closed.hint,
      check: (days) => {
        for (const day of days) {
          const problem = closed.error(day);
          if (problem) return problem;
        }
        return undefined;
      },
    },
});

export const closedMessages = {
  closed_day: 'Closed: {day}. Choose another day.',
  closed_days: 'Closed: {days}',
};

export const plugin: Plugin = {
  name: 'closed',
  fieldExtensions: [closed],
  messages: { en: closedMessages },
};
