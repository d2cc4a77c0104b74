/** Reads times as people type them, and writes them as browsers send them. */
import type { Spelled } from '@form-relay/core/index';
import { asciiDigits, isRealDay } from '@form-relay/core/kit';
import { datetimeWords, timeWords } from './words.ts';

/** A kind of time in seconds, so that ranges and steps are sums. */
export interface Scale {
  /** `undefined` if the text is no such time. */
  read(text: string): number | undefined;
  write(at: number): string;
  words(at: number): Spelled;
}

const daySeconds = 86_400;

const typedBy = (text: string) => asciiDigits(text).trim();

/** Since midnight: `9:05`, `09:05:30`, `9.05`, `9h05`, `2:30 pm`. */
export const time: Scale = {
  read(text) {
    const found = /^(\d{1,2})[:.h](\d\d)(?:[:.](\d\d))?(?: ?([ap])\.?m\.?)?$/i.exec(typedBy(text));
    if (!found) return undefined;
    const [hour = 0, minute = 0, second = 0] = found.slice(1, 4).map((part) => Number(part ?? 0));
    const half = found[4]?.toLowerCase();
    if (minute > 59 || second > 59 || (half ? hour < 1 || hour > 12 : hour > 23)) return undefined;
    const full = half ? (hour % 12) + (half === 'p' ? 12 : 0) : hour;
    return full * 3600 + minute * 60 + second;
  },
  write: (at) => new Date(at * 1000).toISOString().slice(11, at % 60 === 0 ? 16 : 19),
  words: timeWords,
};

/** Since 1970, as if it were UTC: a day, and a time as above. */
export const datetime: Scale = {
  read(text) {
    const [, day = '', rest = ''] = /^(\d{4}-\d\d-\d\d)(?:[Tt]|,? +)(.+)$/.exec(typedBy(text)) ?? [];
    const seconds = time.read(rest);
    if (seconds === undefined || !isRealDay(day)) return undefined;
    return Date.parse(`${day}T00:00:00Z`) / 1000 + seconds;
  },
  write: (at) => `${dayOf(at)}T${time.write(secondsOfDay(at))}`,
  words: datetimeWords,
};

/** `2030-12-31`. */
const dayOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);

const secondsOfDay = (at: number): number => ((at % daySeconds) + daySeconds) % daySeconds;
