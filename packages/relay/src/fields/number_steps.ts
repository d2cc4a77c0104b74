/** Numbers on steps, as HTML has them: number, range. */
import type { Message } from '../messages/message.ts';

/** A valid floating-point number in HTML. */
const valid = /^-?(\d+|\d*\.\d+)(e[+-]?\d+)?$/i;

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

/** HTML counts steps from `min`, else from the initial value, else from 0. */
export const stepBase = ({ min, value: [initial = ''] = [] }: Omit<Limits, 'step'>) =>
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
