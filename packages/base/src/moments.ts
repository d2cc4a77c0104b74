/** Times as people type them, and as browsers send them. The relay and the script of its forms share this file. */
import { asciiDigits } from './digits.ts';

/** Seconds since midnight: `9:05`, `09:05:30`, `9.05`, `9h05`, `2:30 pm`. `undefined` if the text is no time. */
export function readTime(text: string): number | undefined {
  const found = /^(\d{1,2})[:.h](\d\d)(?:[:.](\d\d))?(?: ?([ap])\.?m\.?)?$/i.exec(asciiDigits(text).trim());
  if (!found) return undefined;
  const [hour = 0, minute = 0, second = 0] = found.slice(1, 4).map((part) => Number(part ?? 0));
  const half = found[4]?.toLowerCase();
  if (minute > 59 || second > 59 || (half ? hour < 1 || hour > 12 : hour > 23)) return undefined;
  const full = half ? (hour % 12) + (half === 'p' ? 12 : 0) : hour;
  return full * 3600 + minute * 60 + second;
}

export const writeTime = (at: number): string =>
  new Date(at * 1000).toISOString().slice(11, at % 60 === 0 ? 16 : 19);

/** Seconds since 1970, as if it were UTC: a day, and a time as above. */
export function readMoment(text: string): number | undefined {
  const [, day = '', rest = ''] = /^(\d{4}-\d\d-\d\d)(?:[Tt]|,? +)(.+)$/.exec(asciiDigits(text).trim()) ?? [];
  const seconds = readTime(rest);
  if (seconds === undefined || !isRealDay(day)) return undefined;
  return Date.parse(`${day}T00:00:00Z`) / 1000 + seconds;
}

/** `2030-12-31T14:30`. */
export const writeMoment = (at: number): string => `${dayOf(at)}T${writeTime(secondsOfDay(at))}`;

/** `2030-12-31`. */
const dayOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);

const daySeconds = 86_400;
const secondsOfDay = (at: number): number => ((at % daySeconds) + daySeconds) % daySeconds;

/** Whether a day exists, written `2030-12-31`. */
export function isRealDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
