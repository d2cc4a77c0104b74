/** Days, and local time in a time zone. Node 20 has no Temporal, so this asks `Intl` for offsets. */
import { memoized } from './maybe_promise.ts';

const formatOf = memoized(
  (zone: string) => new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }),
);

/** In seconds, east of Greenwich. */
function offsetAt(zone: string, at: number): number {
  // For example `GMT+01:00`, `GMT-00:53:28` before railways, or `GMT`.
  const found = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(formatOf(zone).format(at * 1000));
  const [hours = 0, minutes = 0, seconds = 0] = (found ?? []).slice(2).map((part) => Number(part ?? 0));
  return (found?.[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}

/**
 * The offset of a local time, given in seconds as if it were UTC; the first, if clocks are put back over it. `undefined`: they are put
 * forward over it, so it never comes.
 */
export function offsetOfLocal(zone: string, local: number): number | undefined {
  const offsets = [-86_400, 0, 86_400].map((seconds) => offsetAt(zone, local + seconds));
  const fitting = offsets.filter((offset) => offsetAt(zone, local - offset) === offset);
  // The earlier instant is further east.
  return fitting.length === 0 ? undefined : Math.max(...fitting);
}

export function isTimeZone(name: string): boolean {
  // Newer runtimes also take offsets, which know no clock changes.
  if (!/^[a-z]/i.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** The time zone of this machine, as advice. */
export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const options: Intl.DateTimeFormatOptions = {
  calendar: 'gregory',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  // In every language, as examples in messages do: Korean would have `AM 09:00`.
  hourCycle: 'h23',
  timeZoneName: 'short',
};

/** A day and time with its time zone, which may be another than the reader's, as each language writes it. */
export const momentWords = (at: number, timeZone = 'UTC') => ({
  // English of no country has the day before the month.
  spell: ([language = 'en', ...others]: readonly string[]): string =>
    new Intl.DateTimeFormat([language === 'en' ? 'en-GB' : language, ...others], {
      ...options,
      timeZone,
    }).format(at),
});
