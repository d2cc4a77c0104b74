import * as v from 'valibot';
import type { Message, Say, Spelled } from '../../messages/message.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { wrong } from '../../schema/issue.ts';
import { duration, text } from '../../schema/kinds.ts';
import type { ControlState } from '../field.ts';
import { input } from '../text_like.ts';
import type { Scale } from './typed.ts';

/** A limit of this scale, as browsers write it. */
export const limit = (scale: Scale, code: 'not_a_time' | 'not_a_datetime' | 'not_a_month', title: string) =>
  v.pipe(
    text(),
    v.check((value) => scale.read(value) !== undefined, wrong(code)),
    v.transform((value) => scale.write(scale.read(value) ?? 0)),
    v.metadata({ jsonSchema: { title, type: 'string' } }),
  );

/** In seconds. */
export const secondsStep = v.pipe(
  duration({ leastMs: 1000, mostMs: 86_400_000 }),
  v.check((ms) => ms % 1000 === 0, wrong('step_of_part_seconds')),
  v.transform((ms) => ms / 1000),
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

export function limitProblems({ scale }: Kind, { min, max }: Limits): readonly Finding[] {
  const [first, last] = [min, max].map((one) => one && scale.read(one));
  return typeof first === 'number' && typeof last === 'number' && first > last
    ? [finding('day_too_early', ['max'], { value: max ?? '', key: 'min', earliest: min ?? '' })]
    : [];
}

/** HTML counts steps from `min`, else from the initial value, else from its own start. */
export const stepBase = ({ scale, zero }: Kind, { min, value: [initial = ''] = [] }: Limits): number =>
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
) {
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
export function wordsOf({ scale, inWords }: Kind, text: string, say: Say): string {
  const at = scale.read(text);
  return at === undefined ? text : say.write(inWords(at));
}
