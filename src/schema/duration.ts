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
 * Gives milliseconds, or what is wrong as a phrase that reads after "found …".
 */
export function parseDuration(text: string): number | { readonly problem: string } {
  if (text === '0' || text === '+0' || text === '-0') return 0;
  if (text.startsWith('-')) return { problem: 'a duration cannot be negative' };
  const digits = text.startsWith('+') ? text.slice(1) : text;
  let totalMs = 0;
  part.lastIndex = 0;
  let end = 0;
  while (end < digits.length) {
    const match = part.exec(digits);
    if (!match) return { problem: 'write a duration such as 30s, 10m or 1h30m' };
    const [, number = '', unit = ''] = match;
    if (unit === '') return { problem: `the unit is missing; ${number}s means ${number} seconds` };
    const ms = unitMs[unit];
    if (ms === undefined) return { problem: `"${unit}" is no unit; the units are ms, s, m and h` };
    totalMs += Number(number) * ms;
    end = part.lastIndex;
  }
  if (end === 0) return { problem: 'write a duration such as 30s, 10m or 1h30m' };
  if (totalMs >= longestMs) return { problem: 'that is longer than a duration can be (about 292 years)' };
  return toNanosecond(totalMs);
}

export const secondsToMs = (seconds: number) => toNanosecond(seconds * 1000);

/** As exact as Go's durations: 1.001 * 1000 is a little less than 1001, and 2.007 * 1000 a little more than 2007. */
const toNanosecond = (ms: number) => Math.round(ms * 1e6) / 1e6;
