import { err, ok, type Result } from '../base/result.ts';

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // U+00B5, the micro sign
  μs: 1e-3, // U+03BC, the Greek letter
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Why a text is no duration, and which one was probably meant. */
export interface NoDuration {
  readonly found: string;
  readonly problem: string;
  readonly suggestion?: string | undefined;
}

/** Go has no days. */
const days = /^(\d{1,5})d$/;

/** Like `parseDuration`, but allows days such as `14d`. */
export function parseDays(text: string): Result<number, NoDuration> {
  const [, count] = days.exec(text) ?? [];
  return count === undefined ? parseDuration(text, true) : ok(Number(count) * 24 * 3_600_000);
}

const part = /(\d+\.?\d*|\.\d+)([a-zµμ]*)/giuy;

/** Go's longest duration, 2^63 - 1 nanoseconds. */
const longestMs = 2 ** 63 / 1e6;

/**
 * Parses a duration like Go's `time.ParseDuration` (`30s`, `1h30m`, `1.5h`), but rejects negative ones. Returns
 * milliseconds.
 */
export function parseDuration(text: string, hasDays = false): Result<number, NoDuration> {
  if (text === '0' || text === '+0' || text === '-0') return ok(0);
  const malformed = () =>
    err({
      found: text,
      problem: 'write a duration such as 30s, 10m or 1h30m',
      suggestion: durationMeantBy(text, hasDays),
    });
  if (text.startsWith('-')) return err({ found: text, problem: 'a duration cannot be negative' });
  const digits = text.startsWith('+') ? text.slice(1) : text;
  let totalMs = 0;
  part.lastIndex = 0;
  let end = 0;
  while (end < digits.length) {
    const match = part.exec(digits);
    if (!match) return malformed();
    const [, number = '', unit = ''] = match;
    if (unit === '' && part.lastIndex === digits.length)
      return err({ found: text, problem: `the unit is missing; ${number}s means ${number} seconds` });
    if (unit === '') return malformed();
    const ms = unitMs[unit];
    if (ms === undefined)
      return err({
        found: text,
        problem: `"${unit}" is not a unit; the units are ms, s, m and h`,
        suggestion: durationMeantBy(text, hasDays),
      });
    totalMs += Number(number) * ms;
    end = part.lastIndex;
  }
  if (end === 0) return malformed();
  if (totalMs >= longestMs)
    return err({ found: text, problem: 'that is longer than a duration can be (about 292 years)' });
  return ok(toNanosecond(totalMs));
}

/** The equivalent of `2 hours`, `1 hour and 30 minutes`, `1d`, `2H` or `PT2H`. */
function durationMeantBy(text: string, hasDays: boolean): string | undefined {
  const words = text.toLowerCase().replaceAll(/\s|\band\b|^pt(?=\d)/g, '');
  const [, count, week] = /^(\d{1,4})(?:d|days?|(w|wks?|weeks?))$/.exec(words) ?? [];
  if (hasDays && count !== undefined) return `${Number(count) * (week ? 7 : 1)}d`;
  if (!/^(\d+([.,]\d+)?[a-z]+)+$/.test(words)) return undefined;
  const parts = [...words.matchAll(/(\d+(?:[.,]\d+)?)([a-z]+)/g)].map(([, number = '', word = '']) => {
    const [, hours, unit] = units.find(([names]) => names.test(word)) ?? [];
    const count = Number(number.replace(',', '.'));
    return unit === undefined
      ? '?'
      : `${hours === undefined ? count : Number((count * hours).toPrecision(12))}${unit}`;
  });
  const meant = parts.join('');
  return meant !== text && parseDuration(meant).ok ? meant : undefined;
}

const units: readonly (readonly [names: RegExp, hours: number | undefined, unit: string])[] = [
  [/^(ms|msecs?|milliseconds?|millis)$/, undefined, 'ms'],
  [/^(s|secs?|seconds?)$/, undefined, 's'],
  [/^(m|mins?|minutes?)$/, undefined, 'm'],
  [/^(h|hrs?|hours?)$/, undefined, 'h'],
  [/^(d|days?)$/, 24, 'h'],
  [/^(w|wks?|weeks?)$/, 24 * 7, 'h'],
];

/** As people write it: `25s`, `2160h`. */
export function inUnits(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  return ms < 3_600_000 ? `${ms / 1_000}s` : `${ms / 3_600_000}h`;
}

export const secondsToMs = (seconds: number) => toNanosecond(seconds * 1000);

/** As exact as Go: 1.001 * 1000 is slightly less than 1001, and 2.007 * 1000 slightly more than 2007. */
const toNanosecond = (ms: number) => Math.round(ms * 1e6) / 1e6;

/** A span of time for people: `1.5 s`, `10 min`, `2 h`. */
export function timeInWords(ms: number): string {
  if (ms >= 3_600_000) return `${round(ms / 3_600_000)} h`;
  return ms >= 120_000 ? `${round(ms / 60_000)} min` : `${round(ms / 1_000)} s`;
}

const round = (amount: number) => Math.round(amount * 10) / 10;
