import type { Field } from '@form-relay/core/index';
import type { Tally } from '../counters/tally.ts';
import { usedOf } from '../counters/tally.ts';
import { allPlaces, optionKey, type Places } from './claims.ts';

/** How many are left of an option; `undefined` if it is not counted. */
export function leftOf({ options }: Places, tally: Tally, field: string, value: string): number | undefined {
  const limit = options.get(field)?.get(value);
  return limit === undefined ? undefined : Math.max(0, limit - usedOf(tally, optionKey(field, value)));
}

/**
 * Whether the visitor cannot send the form any more: no place is left, or no option of a field that everybody needs, or one
 * that the link locks.
 */
export function isFull(
  asked: Places,
  fields: readonly Field[],
  tally: Tally,
  locked?: ReadonlyMap<string, readonly string[]>,
): boolean {
  const { total, options } = asked;
  const isTaken = ({ name, required, visible_when, options: all }: Field) => {
    // Visitors to whom it is not shown need none of its options.
    if (visible_when || !options.has(name)) return false;
    const isGone = (value: string) => leftOf(asked, tally, name, value) === 0;
    const fixed = locked?.get(name);
    return fixed ? fixed.some(isGone) : required && all?.every(({ value }) => isGone(value));
  };
  return (total !== undefined && usedOf(tally, allPlaces) >= total) || fields.some(isTaken);
}
