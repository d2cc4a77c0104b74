import { type Condition, inWords } from '../base/condition.ts';
import { type Values, withoutEmpty } from '../base/values.ts';

/**
 * Whether an output's `when` holds of the values that outputs may have. A field that is not there is empty, whatever the
 * reason, so `is_not` and `filled: false` hold for it: a lead must rather arrive (D68).
 */
export const applies = (when: Condition, values: Values): boolean => when.holds(heldBy(when, values));

/** What keeps a `when` from holding, such as `kind is not sales or support`. */
export function whyNot(when: Condition, values: Values): string {
  const held = heldBy(when, values);
  const excluded = when.values.filter((value) => held.includes(value));
  return inWords({
    field: when.field,
    test: opposites[when.test],
    values: when.test === 'is_not' ? excluded : when.values,
  });
}

const opposites = { is: 'is_not', is_not: 'is', filled: 'empty', empty: 'filled' } as const;

/** Empty text stands for no value, as in `is_not: ''`. */
function heldBy({ field }: Condition, values: Values): readonly string[] {
  const filled = withoutEmpty(values.get(field) ?? []);
  return filled.length > 0 ? filled : nothing;
}

const nothing: readonly string[] = [''];
