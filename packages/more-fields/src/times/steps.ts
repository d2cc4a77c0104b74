/** What times share: limits, steps and the control. */
import type { ControlState, Diagnostics, Html, Locale, Message, Spelled } from '@form-relay/core/index';
import { duration, input, schema, shown, textSchema } from '@form-relay/core/kit';
import type { Scale } from './scales.ts';

/** A limit of this scale, as browsers write it. */
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
export const secondsStep = schema(
  () => milliseconds.json?.() ?? {},
  (value, at) => {
    const ms = milliseconds(value, at);
    if (ms === undefined) return undefined;
    return ms % 1000 === 0 ? ms / 1000 : at.error('expected whole seconds, such as 15m or 30s');
  },
);

/** What a time has to be, beside its format. */
export interface Limits {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly step: number;
  readonly value?: readonly string[] | undefined;
}

/** A scale with what its fields say about it. */
export interface Kind {
  readonly scale: Scale;
  /** Where browsers begin to count steps. */
  readonly zero: number;
  readonly inWords: (at: number) => Spelled;
  readonly tooEarly: 'time_too_early' | 'month_too_early';
  readonly tooLate: 'time_too_late' | 'month_too_late';
}

export function isReversed({ scale }: Kind, { min, max }: Partial<Limits>): boolean {
  const [first, last] = [min, max].map((one) => one && scale.read(one));
  return typeof first === 'number' && typeof last === 'number' && first > last;
}

export function limitProblems(kind: Kind, limits: Partial<Limits>, at: Diagnostics): void {
  if (isReversed(kind, limits))
    at.in('max').error(`found ${limits.max}; expected min, which is ${limits.min}, or later`);
}

/** HTML counts steps from `min`, else from the initial value, else from its own start. */
const stepBase = ({ scale, zero }: Kind, { min, value: [initial = ''] = [] }: Limits): number =>
  scale.read(min ?? initial) ?? zero;

const beyond = (at: number, base: number, step: number) => (((at - base) % step) + step) % step;

/** @param check What else may be wrong with a time. The nearest choice passes it, too. */
export function checkLimits(
  kind: Kind,
  limits: Limits,
  at: number,
  check: (at: number) => Message | undefined = () => undefined,
): Message | undefined {
  const { scale, inWords, tooEarly, tooLate } = kind;
  const { min, max, step } = limits;
  const [first, last] = [min, max].map((one) => (one === undefined ? undefined : scale.read(one)));
  if (first !== undefined && at < first) return { code: tooEarly, params: { min: inWords(first) } };
  if (last !== undefined && at > last) return { code: tooLate, params: { max: inWords(last) } };
  const over = beyond(at, stepBase(kind, limits), step);
  const problem = check(at);
  if (problem || over === 0) return problem;
  const isPossible = (near: number) =>
    near <= (last ?? near) &&
    near >= (first ?? near) &&
    scale.read(scale.write(near)) === near &&
    !check(near);
  const below = at - over;
  const choices = Array.from({ length: 100 }, (_, nth) => [below - nth * step, below + (nth + 1) * step])
    .flat()
    .sort((a, b) => Math.abs(a - at) - Math.abs(b - at));
  return { code: 'off_step', params: { nearest: inWords(choices.find(isPossible) ?? below) } };
}

/** Only what browsers understand is shown: `9:05` as `09:05`. */
export function timeInput(
  type: string,
  kind: Kind,
  field: Parameters<typeof input>[1] & Limits,
  state: ControlState,
): Html {
  const { min, max, step } = field;
  const [typed = ''] = state.values;
  const shown = kind.scale.read(typed);
  // Without `min`, browsers count steps from the shown value; a value off the steps would shift them all.
  const isOn = shown === undefined || beyond(shown, stepBase(kind, field), step) === 0;
  return input(type, field, state, {
    value: shown === undefined ? typed || undefined : kind.scale.write(shown),
    min,
    max,
    step: min === undefined && !isOn ? 'any' : step,
    placeholder: undefined,
    dir: undefined,
  });
}

/** A time as the language writes it. What is none, as another config stored it, stays as it is. */
export function wordsOf({ scale, inWords }: Kind, text: string, { write }: Locale): string {
  const at = scale.read(text);
  return at === undefined ? text : write(inWords(at));
}

export const stepMessages = {
  off_step: 'This cannot be chosen. The nearest choice is {nearest}.',
  time_too_early: 'Enter a time that is {min} or later.',
  time_too_late: 'Enter a time that is {max} or earlier.',
};
