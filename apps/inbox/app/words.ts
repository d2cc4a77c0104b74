/** Words for states, times and sizes. */
import type { Entry, Query, Standing } from '../src/api.ts';

export const standingWords: Readonly<Record<Standing, string>> = {
  failed: 'Not delivered',
  waiting: 'Waiting',
  dropped: 'Dropped',
  doubted: 'Suspected spam',
  delivered: 'Delivered',
};

export const stateWords: Readonly<Record<NonNullable<Query['state']>, string>> = {
  ...standingWords,
  stored: 'Stored',
  kept: 'Queued',
};

export const senderOf = ({ isSealed, sender }: Entry): string =>
  isSealed ? 'Sealed submission' : sender || 'No name';

/** The sender's name; without a name, the address. */
export const nameOf = (sender: string): string => sender.replace(/^(.*\S)\s*<[^<>]*>$/su, '$1');

const dayMs = 86_400_000;
const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const date = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Time in the short form of the list. */
export function shortTime(at: number, now = Date.now()): string {
  const then = new Date(at);
  if (then.toDateString() === new Date(now).toDateString()) return time.format(then);
  return Math.abs(now - at) < 300 * dayMs ? day.format(then) : date.format(then);
}

const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long' });

/** A future day: the weekday if it is within a week, else the date. */
export const weekdayOf = (at: number, now = Date.now()) =>
  at - now < 6 * dayMs ? weekday.format(at) : day.format(at);

export const fullTime = (at: number) => full.format(at);
export const exactTime = (at: number) => exact.format(at);
export const dateOf = (at: number) => date.format(at);

/** For an `<input type="date">`, in local time. */
export function dayOf(at: number): string {
  const then = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${String(then.getFullYear()).padStart(4, '0')}-${two(then.getMonth() + 1)}-${two(then.getDate())}`;
}

/** The start of a day in local time. */
export function beginning(given: string, daysLater = 0): number | undefined {
  const [, year, month, of] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(given) ?? [];
  return year ? new Date(Number(year), Number(month) - 1, Number(of) + daysLater).getTime() : undefined;
}

export function bytes(size: number): string {
  if (size < 1_000) return `${size} bytes`;
  if (size < 1_000_000) return `${(size / 1_000).toFixed(size < 10_000 ? 1 : 0)} KB`;
  return `${(size / 1_000_000).toFixed(size < 10_000_000 ? 1 : 0)} MB`;
}

const grouped = new Intl.NumberFormat('en');
export const number = (value: number) => grouped.format(value);
export const counted = (value: number, one: string, more = `${one}s`) =>
  `${number(value)} ${value === 1 ? one : more}`;
