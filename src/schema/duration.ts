import type { Finding, FindingCode } from '../config_finding.ts';
import { err, ok, type Result } from '../result.ts';

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

const part = /(\d+\.?\d*|\.\d+)([a-zµμ]*)/giuy;

/** Go's longest duration, 2^63 - 1 nanoseconds. */
const longestMs = 2 ** 63 / 1e6;

/**
 * Reads a duration as Go's `time.ParseDuration` writes it (`30s`, `1h30m`, `1.5h`), but refuses negative ones.
 * Gives milliseconds.
 */
export function parseDuration(text: string): Result<number, Finding> {
  if (text === '0' || text === '+0' || text === '-0') return ok(0);
  const wrong = <C extends FindingCode>(code: C, params: object = {}) =>
    err<Finding>({ code, path: [], params: { found: text, ...params } });
  if (text.startsWith('-')) return wrong('duration_negative');
  const digits = text.startsWith('+') ? text.slice(1) : text;
  let totalMs = 0;
  part.lastIndex = 0;
  let end = 0;
  while (end < digits.length) {
    const match = part.exec(digits);
    if (!match) return wrong('duration_malformed');
    const [, number = '', unit = ''] = match;
    if (unit === '') return wrong('duration_without_unit', { number });
    const ms = unitMs[unit];
    if (ms === undefined) return wrong('duration_unit_unknown', { unit });
    totalMs += Number(number) * ms;
    end = part.lastIndex;
  }
  if (end === 0) return wrong('duration_malformed');
  if (totalMs >= longestMs) return wrong('duration_endless');
  return ok(toNanosecond(totalMs));
}

export const secondsToMs = (seconds: number) => toNanosecond(seconds * 1000);

/** As exact as Go's durations: 1.001 * 1000 is a little less than 1001, and 2.007 * 1000 a little more than 2007. */
const toNanosecond = (ms: number) => Math.round(ms * 1e6) / 1e6;
