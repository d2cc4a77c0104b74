import type { Spelled } from './message.ts';

type Options = Intl.DateTimeFormatOptions;

/** Times have 24 hours in every language, as examples in messages do: Korean would have `AM 09:00`. */
export const hours24 = { minute: '2-digit', hourCycle: 'h23' } as const;
const date = { calendar: 'gregory', day: 'numeric', month: 'long', year: 'numeric' } as const;
const time = { ...hours24, hour: 'numeric', timeZoneName: 'short' } as const;

/** A day and time with its time zone, which may be another than the reader's. */
export const momentWords = (at: number, timeZone = 'UTC', more: Options = {}): Spelled =>
  spelled(at, { ...date, ...time, ...more, timeZone });

/** @param at The beginning of the day in UTC. */
export const dayWords = (at: number): Spelled => spelled(at, { ...date, timeZone: 'UTC' });

/** English of no country has the day before the month. */
const spelled = (at: number, options: Options): Spelled => ({
  spell: ([language = 'en', ...others]) =>
    new Intl.DateTimeFormat([language === 'en' ? 'en-GB' : language, ...others], options).format(at),
});
