import * as v from 'valibot';
import { err, ok, type Result } from '../../base/result.ts';
import type { Message } from '../../messages/message.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { read } from '../../schema/issue.ts';
import { isMap, list, mapOf, oneOf, text } from '../../schema/kinds.ts';
import { time } from './typed.ts';
import { weekdaysIn } from './weekdays.ts';
import { type Range, rangeWords, weekWords } from './words.ts';

function rangeOf(found: string): Result<Range, Finding> {
  const [, first = '', last = ''] = /^(\S+?)(?: to | ?[-–] ?)(\S+)$/.exec(found) ?? [];
  const from = time.read(first);
  // A day ends a second before it.
  const to = /^24[:.]00$/.test(last) ? 86_399 : time.read(last);
  if (from === undefined || to === undefined) return err(finding('not_hours', [], { found }));
  return from < to ? ok({ from, to }) : err(finding('hours_reversed', [], { found }));
}

const range = v.pipe(text(), read(rangeOf), v.metadata({ jsonSchema: { title: 'hours', type: 'string' } }));
const several = list(range, { least: 1 });
const single = v.pipe(
  range,
  v.transform((one): readonly Range[] => [one]),
);
const ranges: Schema<readonly Range[]> = oneOf([single, several], (input) =>
  Array.isArray(input) ? several : single,
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

export const hours: Schema<Hours> = v.pipe(
  ranges,
  v.transform((all) => new Hours(Array.from({ length: 7 }, () => all))),
);

const byWeekday: Schema<Hours> = v.pipe(
  mapOf(
    ranges,
    (key) => {
      const found = weekdaysIn(key);
      return 'near' in found ? finding('not_weekdays', [], { found: key, near: found.near }) : undefined;
    },
    '{monday-friday: 09:00-17:00, saturday: 10:00-12:00}',
  ),
  read((written): Result<Hours, Finding> => {
    const week: (readonly Range[])[] = Array.from({ length: 7 }, () => []);
    for (const [key, hours] of written) {
      const weekdays = weekdaysIn(key);
      if ('near' in weekdays) continue;
      for (const weekday of weekdays) {
        if (week[weekday]?.length)
          return err({ ...finding('weekday_twice', [key], { found: key }), aboutKey: true });
        week[weekday] = hours;
      }
    }
    return ok(new Hours(week));
  }),
);

/** The same, or by weekday, where weekdays without hours are closed. */
export const weekHours: Schema<Hours> = oneOf([hours, byWeekday], (input) =>
  isMap(input) ? byWeekday : hours,
);
