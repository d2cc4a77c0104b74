/** Dates and times in sentences for visitors: as numbers in English, otherwise as the language writes them. */

import { readMoment, readTime, writeMoment, writeTime } from '@form-relay/base/canonical';
import { input } from '@form-relay/core/fields/text';
import type { ControlState, Html, Locale, Message, Spelled } from '@form-relay/core/index';
import { shown } from '@form-relay/schema/diagnostics';
import { duration, textSchema } from '@form-relay/schema/scalars';
import { schemaLike } from '@form-relay/schema/schema';

type Options = Intl.DateTimeFormatOptions;

const inUtc = { calendar: 'gregory', timeZone: 'UTC' } as const;
/** Times have 24 hours in every language, like the examples in messages. Korean would otherwise write `AM 09:00`. */
const clock: Options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const date: Options = { year: 'numeric', month: '2-digit', day: '2-digit' };

const isEnglish = ([language = '']: readonly string[]) => /^en\b/.test(language);

const spelled = (at: number, options: Options, english: (iso: string) => string): Spelled => ({
  spell: (locales) =>
    isEnglish(locales)
      ? english(new Date(at * 1000).toISOString())
      : new Intl.DateTimeFormat([...locales], { ...inUtc, ...options }).format(at * 1000),
});

const clockOf = (at: number): Options => (at % 60 === 0 ? clock : { ...clock, second: '2-digit' });
const lastOf = (at: number) => (at % 60 === 0 ? 16 : 19);

export const timeWords = (at: number): Spelled =>
  spelled(at, clockOf(at), (iso) => iso.slice(11, lastOf(at)));

const datetimeWords = (at: number): Spelled =>
  spelled(at, { ...date, ...clockOf(at) }, (iso) => iso.slice(0, lastOf(at)).replace('T', ' '));

/** A kind of time in seconds, so that ranges and steps are sums. */
export interface Scale {
  /** `undefined` if the text is not such a time. */
  read(text: string): number | undefined;
  write(at: number): string;
  words(at: number): Spelled;
}

export const time: Scale = { read: readTime, write: writeTime, words: timeWords };

export const datetime: Scale = { read: readMoment, write: writeMoment, words: datetimeWords };

/** A limit on this scale, as browsers write it. */
export const limit = (scale: Scale, expected: string, title: string) =>
  textSchema(
    (text, at) => {
      const read = scale.read(text);
      return read === undefined
        ? at.error(`found ${shown(text, at)}; expected ${expected}`)
        : scale.write(read);
    },
    { title, type: 'string' },
  );

const milliseconds = duration({ leastMs: 1000, mostMs: 86_400_000 });

/** In seconds. */
export const secondsStep = schemaLike(milliseconds, (value, at) => {
  const ms = milliseconds(value, at);
  if (ms === undefined) return undefined;
  return ms % 1000 === 0 ? ms / 1000 : at.error('expected whole seconds, such as 15m or 30s');
});

/** The constraints on a time, besides its format. */
export interface Limits {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly step: number;
  readonly value?: readonly string[] | undefined;
}

/** In the order of `limits`; `undefined` where a limit is not set. */
const readAll = ({ read }: Scale, limits: readonly (string | undefined)[]) =>
  limits.map((one) => (one === undefined ? undefined : read(one)));

export function isReversed(scale: Scale, { min, max }: Partial<Limits>): boolean {
  const [first, last] = readAll(scale, [min, max]);
  return first !== undefined && last !== undefined && first > last;
}

/** The seconds beyond the previous step. HTML counts steps from `min`, or else from the initial value, or else from 0. */
function beyond(scale: Scale, { min, value: [initial = ''] = [], step }: Limits, at: number): number {
  const base = scale.read(min ?? initial) ?? 0;
  return (((at - base) % step) + step) % step;
}

export function checkLimits(scale: Scale, limits: Limits, at: number): Message | undefined {
  const { min, max, step } = limits;
  const [first, last] = readAll(scale, [min, max]);
  if (first !== undefined && at < first)
    return { code: 'time_too_early', params: { min: scale.words(first) } };
  if (last !== undefined && at > last) return { code: 'time_too_late', params: { max: scale.words(last) } };
  const over = beyond(scale, limits, at);
  if (over === 0) return undefined;
  const isPossible = (near: number) =>
    near <= (last ?? near) && near >= (first ?? near) && scale.read(scale.write(near)) === near;
  const below = at - over;
  const choices = [below, below + step].sort((a, b) => Math.abs(a - at) - Math.abs(b - at));
  return { code: 'off_step', params: { nearest: scale.words(choices.find(isPossible) ?? below) } };
}

/** Writes values in the format that browsers understand: `9:05` as `09:05`. */
export function timeInput(
  type: string,
  scale: Scale,
  field: Parameters<typeof input>[1] & Limits,
  state: ControlState,
): Html {
  const { min, max, step } = field;
  const [typed = ''] = state.values;
  const shown = scale.read(typed);
  // Without `min`, browsers count steps from the initial value, which would shift all steps if it is not on one.
  const isOn = shown === undefined || beyond(scale, field, shown) === 0;
  return input(type, field, state, {
    value: shown === undefined ? typed || undefined : scale.write(shown),
    min,
    max,
    step: min === undefined && !isOn ? 'any' : step,
    placeholder: undefined,
    dir: undefined,
  });
}

/** A time as the language writes it. A value that is not a time, stored under another config, is left unchanged. */
export function wordsOf({ read, words }: Scale, text: string, { write }: Locale): string {
  const at = read(text);
  return at === undefined ? text : write(words(at));
}

export const stepMessages = {
  off_step: 'This cannot be chosen. The nearest choice is {nearest}.',
  time_too_early: 'Enter a time that is {min} or later.',
  time_too_late: 'Enter a time that is {max} or earlier.',
};
