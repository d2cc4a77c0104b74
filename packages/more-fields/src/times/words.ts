import type { Spelled } from '@form-relay/core/index';

/** Days and times in sentences for visitors: as numbers in English, and elsewhere as the language writes them. */

type Options = Intl.DateTimeFormatOptions;

const inUtc = { calendar: 'gregory', timeZone: 'UTC' } as const;
/** Times have 24 hours in every language, as examples in messages do: Korean would have `AM 09:00`. */
const clock: Options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const date: Options = { year: 'numeric', month: '2-digit', day: '2-digit' };

const isEnglish = ([language = '']: readonly string[]) => /^en\b/.test(language);

const spelled = (at: number, options: Options, english: (iso: string) => string): Spelled => ({
  spell: (locales) =>
    isEnglish(locales)
      ? english(new Date(at * 1000).toISOString())
      : new Intl.DateTimeFormat([...locales], { ...inUtc, ...options }).format(at * 1000),
});

const clockOf = (at: number): Options => (at % 60 === 0 ? clock : { ...clock, second: '2-digit' });
const lastOf = (at: number) => (at % 60 === 0 ? 16 : 19);

export const timeWords = (at: number): Spelled =>
  spelled(at, clockOf(at), (iso) => iso.slice(11, lastOf(at)));

export const datetimeWords = (at: number): Spelled =>
  spelled(at, { ...date, ...clockOf(at) }, (iso) => iso.slice(0, lastOf(at)).replace('T', ' '));
