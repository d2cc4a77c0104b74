/** Days and times in sentences for visitors: as numbers in English, and elsewhere as the language writes them. */
import type { Spelled } from '@form-relay/core/index';

type Options = Intl.DateTimeFormatOptions;

const inUtc = { calendar: 'gregory', timeZone: 'UTC' } as const;
/** Times have 24 hours in every language, as examples in messages do: Korean would have `AM 09:00`. */
const clock: Options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const date: Options = { year: 'numeric', month: '2-digit', day: '2-digit' };

const isEnglish = ([language = '']: readonly string[]) => /^en\b/.test(language);

const spelled =
  (at: number, options: Options, english: (iso: string) => string) =>
  (locales: readonly string[]): string =>
    isEnglish(locales)
      ? english(new Date(at * 1000).toISOString())
      : new Intl.DateTimeFormat([...locales], { ...inUtc, ...options }).format(at * 1000);

const clockOf = (at: number): Options => (at % 60 === 0 ? clock : { ...clock, second: '2-digit' });
const lastOf = (at: number) => (at % 60 === 0 ? 16 : 19);

export const timeWords = (at: number): Spelled => ({
  spell: spelled(at, clockOf(at), (iso) => iso.slice(11, lastOf(at))),
});

export const datetimeWords = (at: number): Spelled => ({
  spell: spelled(at, { ...date, ...clockOf(at) }, (iso) => iso.slice(0, lastOf(at)).replace('T', ' ')),
});

/** With its weekday, since that is mostly why it is closed. */
export const dayWords = (at: number): Spelled => ({
  spell: (locales) =>
    isEnglish(locales)
      ? `${weekdayIn(locales, new Date(at * 1000).getUTCDay())}, ${new Date(at * 1000).toISOString().slice(0, 10)}`
      : spelled(at, { ...date, weekday: 'long', month: 'long' }, String)(locales),
});

/** @param weekday From Sunday, which is 0. */
function weekdayIn(locales: readonly string[], weekday: number): string {
  // The first Sunday after 1970 began.
  const day = new Date(Date.UTC(1970, 0, 4 + weekday));
  return new Intl.DateTimeFormat([...locales], { weekday: 'long', timeZone: 'UTC' }).format(day);
}

/** Weekdays from Monday on; three or more in a row as a range: `Monday–Friday`. */
function runsIn(locales: readonly string[], weekdays: readonly number[]): string {
  const inOrder = weekdays.map((weekday) => (weekday + 6) % 7).sort((a, b) => a - b);
  const runs: number[][] = [];
  for (const place of inOrder) {
    const last = runs.at(-1);
    if (last?.at(-1) === place - 1) last.push(place);
    else runs.push([place]);
  }
  const words = runs.flatMap((run) => {
    const names = run.map((place) => weekdayIn(locales, (place + 1) % 7));
    return run.length > 2 ? `${names[0]}–${names.at(-1)}` : names;
  });
  return listed(locales, words);
}

const listed = (locales: readonly string[], words: readonly string[]) =>
  new Intl.ListFormat(isEnglish(locales) ? 'en-GB' : [...locales]).format(words);

export const weekdayWords = (weekdays: readonly number[]): Spelled => ({
  spell: (locales) => runsIn(locales, weekdays),
});

/** In seconds of the day, both included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A day that ends a second before midnight is open until 24:00. */
const endWords = (to: number): Spelled =>
  to === 86_399 ? { spell: spelled(0, { ...clock, hourCycle: 'h24' }, () => '24:00') } : timeWords(to);

export const rangeWords = (ranges: readonly Range[]): Spelled => ({
  spell: (locales) =>
    listed(
      locales,
      ranges.map(({ from, to }) => `${timeWords(from).spell(locales)}–${endWords(to).spell(locales)}`),
    ),
});

/** `Monday–Friday 09:00–17:00 · Saturday 10:00–12:00` */
export const weekWords = (week: readonly (readonly Range[])[]): Spelled => ({
  spell: (locales) => {
    const byHours = new Map<string, number[]>();
    for (const place of [1, 2, 3, 4, 5, 6, 0]) {
      const ranges = week[place] ?? [];
      if (ranges.length === 0) continue;
      const hours = rangeWords(ranges).spell(locales);
      byHours.set(hours, [...(byHours.get(hours) ?? []), place]);
    }
    const parts = [...byHours].map(([hours, weekdays]) =>
      weekdays.length === 7 ? hours : `${runsIn(locales, weekdays)} ${hours}`,
    );
    return parts.join(' · ');
  },
});
