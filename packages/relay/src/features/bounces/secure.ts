/** Comparisons and times of signed requests. */
import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string | Buffer) => createHash('sha256').update(text).digest();

/** Takes as long whatever the texts are. */
export const isSame = (one: string | Buffer, other: string | Buffer): boolean =>
  timingSafeEqual(digest(one), digest(other));

const minuteMs = 60_000;

/** Providers repeat a request for up to a day, some with the time of the first. */
const oldestMs = 25 * 60 * minuteMs;
const aheadMs = 15 * minuteMs;

/** @param at In milliseconds since the epoch; `NaN` is too old. */
export const isTimely = (at: number, now: number, mostMs = oldestMs): boolean =>
  at <= now + aheadMs && now - at <= mostMs;

/** Whole seconds, as providers write them. `Number` reads other notations too, which would move where a signed text is split. */
export const isSeconds = (text: string): boolean => /^\d{10}$/.test(text);
