/** Dates, and local time in a time zone. Node 20 has no Temporal, so this asks `Intl` for offsets. */
import { memoized } from './maybe_promise.ts';

const formatOf = memoized(
  (zone: string) => new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }),
);

/** In seconds, east of Greenwich. */
function offsetAt(zone: string, at: number): number {
  // For example `GMT+01:00`, `GMT`, or `GMT-00:53:28` for times before railways.
  const found = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(formatOf(zone).format(at * 1000));
  const [hours = 0, minutes = 0, seconds = 0] = (found ?? []).slice(2).map((part) => Number(part ?? 0));
  return (found?.[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}

/**
 * The offset of a local time, given in seconds as if it were UTC. If clocks are set back and the time occurs
 * twice, returns the first offset. `undefined` if clocks are set forward and skip the time.
 */
export function offsetOfLocal(zone: string, local: number): number | undefined {
  const offsets = [-86_400, 0, 86_400].map((seconds) => offsetAt(zone, local + seconds));
  const fitting = offsets.filter((offset) => offsetAt(zone, local - offset) === offset);
  // The earlier instant is further east.
  return fitting.length === 0 ? undefined : Math.max(...fitting);
}

export function isTimeZone(name: string): boolean {
  // Newer runtimes also accept offsets, which have no daylight saving time.
  if (!/^[a-z]/i.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** The time zone of this machine, for suggestions. */
export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const options: Intl.DateTimeFormatOptions = {
  calendar: 'gregory',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  // Use 24 hours in every language, like the examples in messages: Korean would have `AM 09:00`.
  hourCycle: 'h23',
  timeZoneName: 'short',
};

/** A day and time with its time zone, which may differ from the reader's, as each language writes it. */
export const momentWords = (at: number, timeZone = 'UTC') => ({
  // Without a region, `en` means American English, which puts the month first.
  spell: ([language = 'en', ...others]: readonly string[]): string =>
    new Intl.DateTimeFormat([language === 'en' ? 'en-GB' : language, ...others], {
      ...options,
      timeZone,
    }).format(at),
});
