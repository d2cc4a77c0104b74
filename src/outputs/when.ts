import type { Condition } from '../condition.ts';
import { type Values, withoutEmpty } from '../values.ts';

/**
 * Whether an output's `when` holds of the values that outputs may have. A field that is not there is empty, whatever the
 * reason, so `is_not` and `filled: false` hold for it: a lead must rather arrive (D68).
 */
export function applies(when: Condition, values: Values): boolean {
  const filled = withoutEmpty(values.get(when.field) ?? []);
  return when.holds(filled.length > 0 ? filled : emptyField);
}

/** Empty text stands for no choice, as in `is_not: ''`. */
const emptyField: readonly string[] = [''];
