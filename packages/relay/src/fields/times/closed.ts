import * as v from 'valibot';
import { err, ok, type Result } from '../../base/result.ts';
import type { Message } from '../../messages/message.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { read } from '../../schema/issue.ts';
import { list, text } from '../../schema/kinds.ts';
import { datetime } from './typed.ts';
import { weekdaysIn } from './weekdays.ts';
import { dayWords, weekdayWords } from './words.ts';

/** The first and the last day, `2030-12-31`, whose order is that of the text. */
interface Days {
  readonly from: string;
  readonly to: string;
}

type Entry = Days | readonly number[];

const startOf = (day: string) => datetime.read(`${day} 00:00`);

function entryOf(found: string): Result<Entry, Finding> {
  const weekdays = weekdaysIn(found);
  if (!('near' in weekdays)) return ok(weekdays);
  const [, from, to = from] = /^(\d{4}-\d\d-\d\d)(?: ?to ?(\d{4}-\d\d-\d\d))?$/.exec(found) ?? [];
  if (from === undefined || to === undefined)
    return err(finding('not_a_closed_day', [], { found, near: weekdays.near }));
  if (startOf(from) === undefined || startOf(to) === undefined)
    return err(finding('not_a_day', [], { found }));
  return from > to
    ? err(finding('day_too_early', [], { value: to, key: 'the first day', earliest: from }))
    : ok({ from, to });
}

const entry = v.pipe(
  text(),
  read(entryOf),
  v.metadata({ jsonSchema: { title: 'weekday, day or days', type: 'string' } }),
);

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
    const isClosed = this.weekdays.includes(weekdayOf(start)) || this.#days.some((days) => isIn(days, day));
    return isClosed ? { code: 'closed_day', params: { day: dayWords(start) } } : undefined;
  }

  /** Days come and go, so only the weekdays are told beforehand. */
  get hint(): Message | undefined {
    if (this.weekdays.length === 0) return undefined;
    return { code: 'closed_days', params: { days: weekdayWords(this.weekdays) } };
  }
}

const isIn = ({ from, to }: Days, day: string) => from <= day && day <= to;

/** From Sunday, which is 0. */
export const weekdayOf = (at: number): number => new Date(at * 1000).getUTCDay();

export const closedDays = v.pipe(
  list(entry, { least: 1 }),
  v.transform((entries) => new Closed(entries)),
);
