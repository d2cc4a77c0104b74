import type { Values } from '@form-relay/core/base/values';
import { inWords } from '@form-relay/core/fields/condition';
import type { FormOutput } from '@form-relay/core/outputs/output';

/** Why an output does not get a submission, in words for the owner. */
export function whySkipped({ condition }: FormOutput, values: Values): string {
  if (!condition) return 'its `aside` or `waiting` leaves this one to other outputs';
  const { field, test, values: wanted } = condition;
  const held = values.get(field) ?? [];
  if (condition.holds(held)) return 'its `aside` or `waiting` leaves this one to other outputs';
  const excluded = wanted.filter((value) => held.includes(value));
  return inWords({ field, test: opposites[test], values: test === 'is_not' ? excluded : wanted });
}

const opposites = { is: 'is_not', is_not: 'is', filled: 'empty', empty: 'filled' } as const;
