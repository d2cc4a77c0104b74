import * as v from 'valibot';
import type { Message } from '../messages/message.ts';
import { finding } from '../schema/finding.ts';
import { wrong } from '../schema/issue.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { isNumber, numberPattern, number as numeric, text } from '../schema/kinds.ts';
import { fieldType } from './field.ts';
import { input } from './text_like.ts';

/** A valid floating-point number in HTML. */
const valid = /^-?(\d+|\d*\.\d+)(e[+-]?\d+)?$/i;

const step = v.pipe(
  text(),
  v.check((value) => value === 'any' || (isNumber(value) && Number(value) > 0), wrong('not_a_step')),
  // Written as in HTML, so `0x10` becomes 16.
  v.transform((value) => (value === 'any' ? value : String(Number(value)))),
  v.metadata({
    jsonSchema: {
      title: 'number above 0, or `any`',
      type: ['number', 'string'],
      exclusiveMinimum: 0,
      pattern: `^any$|${numberPattern}`,
      errorMessage: 'Expected a number above 0, or any.',
    },
  }),
);

/** Keys of types with numbers: number, range. */
interface Limits {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly step: string;
  readonly value?: readonly string[] | undefined;
}

export function checkNumber(field: Limits, value: string): Message | undefined {
  const { min, max, step } = field;
  const n = Number(value);
  if (!valid.test(value) || !Number.isFinite(n)) return { code: 'not_a_number' };
  if (min !== undefined && n < min) return { code: 'number_too_small', params: { min } };
  if (max !== undefined && n > max) return { code: 'number_too_large', params: { max } };
  const base = stepBase(field);
  if (step === 'any' || isMultiple(n, base, Number(step))) return undefined;
  return step === '1' && Number.isInteger(base)
    ? { code: 'not_a_whole_number' }
    : { code: 'number_off_step', params: { step, base } };
}

export const number = fieldType({
  type: 'number',
  summary: 'A number as HTML writes it, within `min`, `max` and `step`.',
  missing: { code: 'missing_number' },
  inJson: 'number',
  keys: {
    min: optional('The least number.', numeric()),
    max: optional('The greatest number.', numeric()),
    step: withDefault(
      '1',
      'The distance between allowed numbers, counted from `min`, else `value`, else 0; or `any`.',
      step,
    ),
  },
  problems: ({ min, max }) =>
    min !== undefined && max !== undefined && min > max
      ? [finding('value_below', ['max'], { value: max, key: 'min', least: min })]
      : [],
  checkValue: checkNumber,
  control: (field, state) => {
    const { min, max, step } = field;
    // Without `min`, browsers count steps from the shown value; a value off the steps would shift them all.
    const shown = Number(state.values[0] ?? stepBase(field));
    const isOn =
      step === 'any' || (Number.isFinite(shown) && isMultiple(shown, stepBase(field), Number(step)));
    return input('number', field, state, {
      min,
      max,
      step: min === undefined && !isOn ? 'any' : step,
      dir: undefined,
    });
  },
});

/** HTML counts steps from `min`, else from the initial value, else from 0. */
const stepBase = ({ min, value: [initial = ''] = [] }: Omit<Limits, 'step'>) =>
  min ?? (valid.test(initial) ? Number(initial) : 0);

/** Whether `n` is a whole number of steps from `base`, in exact decimal arithmetic: 0.3 is three steps of 0.1. */
export function isMultiple(n: number, base: number, step: number): boolean {
  const decimals = [n, base, step].map(toDecimal);
  const least = Math.min(...decimals.map(({ exponent }) => exponent));
  const [a = 0n, b = 0n, s = 1n] = decimals.map(
    ({ digits, exponent }) => digits * 10n ** BigInt(exponent - least),
  );
  return (a - b) % s === 0n;
}

function toDecimal(n: number): { digits: bigint; exponent: number } {
  const [mantissa = '0', exponent = '0'] = n.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
