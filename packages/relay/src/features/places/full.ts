import type { Tally } from '../../base/counts.ts';
import { usedOf } from '../../counting/tally.ts';
import type { Field } from '../../fields/field.ts';
import { allPlaces, optionKey, type Places } from './claims.ts';

/** How many are left of an option; `undefined` if it is not counted. */
export function leftOf({ options }: Places, tally: Tally, field: string, value: string): number | undefined {
  const limit = options.get(field)?.get(value);
  return limit === undefined ? undefined : Math.max(0, limit - usedOf(tally, optionKey(field, value)));
}

/** Whether nobody can send the form any more: no place is left, or no option of a field that everybody needs. */
export function isFull(asked: Places, fields: readonly Field[], tally: Tally): boolean {
  const { total, options } = asked;
  const isTaken = ({ name, required, visible_when, options: all }: Field) =>
    required &&
    // Visitors to whom it is not shown need none of its options.
    !visible_when &&
    options.has(name) &&
    all?.every(({ value }) => leftOf(asked, tally, name, value) === 0);
  return (total !== undefined && usedOf(tally, allPlaces) >= total) || fields.some(isTaken);
}
