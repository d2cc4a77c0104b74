import type { Rate } from '@form-relay/base/rates';
import { err, ok, type Result } from '@form-relay/base/result';
import { type Schema, schema } from './schema.ts';

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

interface NoDuration {
  readonly problem: string;
  readonly suggestion?: string | undefined;
}

/** Like `parseDuration`, but also allows days such as `14d`, which Go lacks. */
export function parseDays(text: string): Result<number, NoDuration> {
  const [, count] = /^(\d{1,5})d$/.exec(text) ?? [];
  return count === undefined ? parseDuration(text, true) : ok(Number(count) * 24 * 3_600_000);
}

/** Go's longest duration, 2^63 - 1 nanoseconds. */
const longestMs = 2 ** 63 / 1e6;

/** Parses a duration like Go's `time.ParseDuration` (`30s`, `1h30m`, `1.5h`), but rejects negative ones. Returns milliseconds. */
export function parseDuration(text: string, hasDays = false): Result<number, NoDuration> {
  if (/^[-+]?0$/.test(text)) return ok(0);
  if (text.startsWith('-')) return err({ problem: 'a duration cannot be negative' });
  const misspelled = (problem: string) => err({ problem, suggestion: durationMeantBy(text, hasDays) });
  const malformed = 'write a duration such as 30s, 10m or 1h30m';
  const digits = text.startsWith('+') ? text.slice(1) : text;
  let totalMs = 0;
  let end = 0;
  for (const { 0: part, 1: number = '', 2: unit = '', index } of digits.matchAll(parts)) {
    if (index !== end) return misspelled(malformed);
    end += part.length;
    if (unit === '' && end === digits.length)
      return err({ problem: `the unit is missing; for seconds, write ${number}s` });
    if (unit === '') return misspelled(malformed);
    const ms = unitMs[unit];
    if (ms === undefined) return misspelled(`"${unit}" is not a unit; the units are ms, s, m and h`);
    totalMs += Number(number) * ms;
  }
  if (end === 0 || end < digits.length) return misspelled(malformed);
  if (totalMs >= longestMs) return err({ problem: 'the duration is too long; the limit is about 292 years' });
  return ok(toNanosecond(totalMs));
}

const parts = /(\d+\.?\d*|\.\d+)([a-zµμ]*)/giu;

/** The duration meant by `2 hours`, `1 hour and 30 minutes`, `1d`, `2H` or `PT2H`. */
function durationMeantBy(text: string, hasDays: boolean): string | undefined {
  const words = text.toLowerCase().replaceAll(/\s|\band\b|^pt(?=\d)/g, '');
  const [, days, week] = /^(\d{1,4})(?:d|days?|(w|wks?|weeks?))$/.exec(words) ?? [];
  if (hasDays && days !== undefined) return `${Number(days) * (week ? 7 : 1)}d`;
  if (!/^(\d+([.,]\d+)?[a-z]+)+$/.test(words)) return undefined;
  const meant = words.replaceAll(/(\d+(?:[.,]\d+)?)([a-z]+)/g, (_, number: string, word: string) => {
    const [, factor = 1, unit = '?'] = units.find(([names]) => names.test(word)) ?? [];
    const count = Number(number.replace(',', '.'));
    return `${factor === 1 ? count : Number((count * factor).toPrecision(12))}${unit}`;
  });
  return meant !== text && parseDuration(meant).ok ? meant : undefined;
}

const units: readonly (readonly [names: RegExp, factor: number, unit: string])[] = [
  [/^(ms|msecs?|milliseconds?|millis)$/, 1, 'ms'],
  [/^(s|secs?|seconds?)$/, 1, 's'],
  [/^(m|mins?|minutes?)$/, 1, 'm'],
  [/^(h|hrs?|hours?)$/, 1, 'h'],
  [/^(d|days?)$/, 24, 'h'],
  [/^(w|wks?|weeks?)$/, 24 * 7, 'h'],
];

/** Writes a duration as people do: `25s`, `2160h`. */
export function inUnits(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  return ms < 3_600_000 ? `${ms / 1_000}s` : `${ms / 3_600_000}h`;
}

export const secondsToMs = (seconds: number) => toNanosecond(seconds * 1000);

/**
 * Rounds to nanoseconds, as exactly as Go: in floating point, 1.001 * 1000 is slightly less than 1001, and
 * 2.007 * 1000 slightly more than 2007.
 */
const toNanosecond = (ms: number) => Math.round(ms * 1e6) / 1e6;

/** Writes a duration in words: `1.5 s`, `10 min`, `2 h`. */
export function timeInWords(ms: number): string {
  if (ms >= 3_600_000) return `${round(ms / 3_600_000)} h`;
  return ms >= 120_000 ? `${round(ms / 60_000)} min` : `${round(ms / 1_000)} s`;
}

const round = (amount: number) => Math.round(amount * 10) / 10;

const mostOfOne = 1_000;
const dayMs = 86_400_000;

/** A rate such as `5 per 10m`, or `off`. */
export const rate = (): Schema<Rate | 'off'> =>
  schema({ title: 'rate', type: 'string', pattern: '^\\d+ +per +\\S+$|^off$' }, (value, at) => {
    if (value === 'off') return 'off';
    const [, count = '', time = ''] = /^\s*(\d{1,9})\s+per\s+(\S+)\s*$/i.exec(String(value)) ?? [];
    const within = parseDays(time);
    const most = Number(count);
    if (!within.ok || within.value < 1_000 || most < 1)
      return at.found(value, 'expected a number per time span, such as 5 per 10m, or off');
    const withinMs = within.value;
    if (withinMs > dayMs)
      return at.found(
        value,
        'expected at most 1d, because counts are in memory and lost when the relay stops',
      );
    if (most > mostOfOne)
      return at.found(value, `expected at most ${mostOfOne}, because each request is remembered`);
    return { most, withinMs };
  });
