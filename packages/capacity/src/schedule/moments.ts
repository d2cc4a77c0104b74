/** The moments at which a form opens and closes: as written, in a time zone, and in words for visitors. */

import { isRealDay } from '@form-relay/base/moments';
import { offsetOfLocal } from '@form-relay/base/time_zone';
import type { Message } from '@form-relay/core/index';
import { shown } from '@form-relay/schema/diagnostics';
import { textSchema } from '@form-relay/schema/scalars';
import type { Schema } from '@form-relay/schema/schema';

/** A moment as a config has it. Times are in seconds. */
export interface Written {
  readonly text: string;
  /** Since 1970, as if it were UTC. */
  readonly local: number;
  /** Absent where the time zone decides. */
  readonly offset: number | undefined;
  readonly isDay: boolean;
}

export interface Moment {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** For the owner. */
  readonly text: string;
  /** For visitors. */
  readonly words: NonNullable<Message['params']>[string];
}

export type Edge = 'opens' | 'closes';

const daySeconds = 86_400;
const pattern =
  /^(\d{4}-\d\d-\d\d)(?:(?:T| +)(\d{1,2}):(\d\d)(?::(\d\d))? ?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/i;

export const moment = (): Schema<Written> =>
  textSchema(
    (text, at) =>
      momentIn(text) ??
      at.error(
        `found ${shown(text, at)}; expected a day and a time that exist, such as 2026-12-24 18:00, a day such as 2026-12-24, or a time with its offset, such as 2026-12-24T18:00:00+01:00`,
      ),
    { title: 'day, or day and time', type: 'string' },
  );

function momentIn(text: string): Written | undefined {
  const [, day = '', hour, minute = '0', second = '0', offset] = pattern.exec(text) ?? [];
  if (!isRealDay(day)) return undefined;
  const [hours, minutes, seconds] = [Number(hour ?? 0), Number(minute), Number(second)];
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  return {
    text,
    local: Date.parse(`${day}T00:00:00Z`) / 1_000 + hours * 3_600 + minutes * 60 + seconds,
    offset: offset === undefined ? undefined : secondsOf(offset),
    isDay: hour === undefined,
  };
}

function secondsOf(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** @param zone Of the form; `undefined` if it names none. */
export function momentOf(
  { text, local, offset, isDay }: Written,
  edge: Edge,
  zone: string | undefined,
): Moment | { readonly problem: string } {
  if (offset !== undefined) {
    const at = (local - offset) * 1000;
    return { at, text: text, words: timeWords(at, zone ?? 'UTC') };
  }
  if (zone === undefined)
    return {
      problem:
        'nothing says where this time is; write time_zone, such as time_zone: Europe/Berlin, for the form or at the top, or an offset, as in 2026-12-24T18:00:00+01:00',
    };
  if (isDay) {
    const isEnd = edge === 'closes';
    return {
      at: startOfDay(zone, local + (isEnd ? daySeconds : 0)),
      text: `${isEnd ? 'the end of ' : ''}${text} (${zone})`,
      words: spelled(local * 1000, { ...date, timeZone: 'UTC' }),
    };
  }
  const known = offsetOfLocal(zone, local);
  if (known === undefined)
    return { problem: `found "${text}", which does not exist in ${zone}: clocks go forward past it` };
  const at = (local - known) * 1000;
  return { at, text: `${text} (${zone})`, words: timeWords(at, zone) };
}

/** Where clocks go forward at midnight, a day begins at 01:00, which is what midnight was by the offset before. */
const startOfDay = (zone: string, local: number) =>
  (local - (offsetOfLocal(zone, local) ?? offsetOfLocal(zone, local - 3 * 3600) ?? 0)) * 1000;

const date = { calendar: 'gregory', day: 'numeric', month: 'long', year: 'numeric' } as const;
/** Times have 24 hours in every language, as examples in messages do: Korean would have `AM 09:00`. */
const time = { minute: '2-digit', hourCycle: 'h23', hour: 'numeric', timeZoneName: 'short' } as const;

const timeWords = (at: number, timeZone: string) =>
  spelled(at, { ...date, ...time, ...(at % 60_000 !== 0 && { second: '2-digit' }), timeZone });

/** English of no country has the day before the month. */
const spelled = (at: number, options: Intl.DateTimeFormatOptions): Moment['words'] => ({
  spell: ([language = 'en', ...others]) =>
    new Intl.DateTimeFormat([language === 'en' ? 'en-GB' : language, ...others], options).format(at),
});
