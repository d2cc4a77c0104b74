/** The limits of a form, and the keys under which it counts. */

import { createHmac } from 'node:crypto';
import { sameAddress } from '@form-relay/base/canonical';
import type { Field, Form, Outcome, Submission, Values } from '@form-relay/core/index';
import type { Registration } from '../counters/registration.ts';
import { nameInStore, registrationKey } from '../counters/registration.ts';
import { type Claim, type Tally, usedOf } from '../counters/tally.ts';

export type OptionPlaces = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Allows one submission for each value of a field. */
export interface Once {
  readonly by: string;
  /** How long a value counts, in milliseconds; `undefined` for ever. */
  readonly for?: number | undefined;
  readonly reveal: boolean;
}

export interface Places {
  readonly total: number | undefined;
  readonly options: OptionPlaces;
  readonly once: Once | undefined;
  /**
   * Whether others must not learn who has registered. With `double_opt_in`, only the owner of an address gets
   * as far as registering.
   */
  readonly isSecret: boolean;
  /** Whether the same submission may be repeated: people click a link in a mail twice, and servers retry. */
  readonly isRemembered: boolean;
  /** The response when no places are left. */
  readonly full: Outcome;
}

/** State of a submission: the values that its visitor cannot change, by field (`ReadonlyMap<string, readonly string[]>`). */
export const lockedValues = Symbol('locked values');

/** State of a submission that changes an earlier one, set in its request: the earlier values (`Values`). */
export const earlierValues = Symbol('earlier values');

/** Whether a change of a submission keeps the value of a field. */
export function isUnchanged(submission: Submission, field: string): boolean {
  const before = submission.getState(earlierValues);
  return (
    before instanceof Map &&
    JSON.stringify(before.get(field)) === JSON.stringify(submission.values.get(field))
  );
}

/** Everything that a submission takes, by key in a tally. */
export interface Taken {
  readonly claims: readonly string[];
  readonly once?: Registration | undefined;
}

/** The places of an earlier submission, by the request that shows or sends its change. */
export const takenBefore = new WeakMap<object, Taken>();

export const allPlaces = '';
export const optionKey = (field: string, value: string) => `${field}=${value}`;

/** Everything that a form counts, whatever is submitted. */
export const everyClaim = ({ total, options }: Places): readonly Claim[] => [
  ...(total === undefined ? [] : [{ key: allPlaces, limit: total }]),
  ...[...options].flatMap(([field, limits]) =>
    [...limits].map(([value, limit]) => ({ key: optionKey(field, value), limit })),
  ),
];

/** The claims of a submission with these values. */
export function claimsOf(places: Places, values: Values): readonly Claim[] {
  const chosen = [...places.options.keys()].flatMap((field) =>
    (values.get(field) ?? []).map((value) => optionKey(field, value)),
  );
  const taken = new Set([allPlaces, ...chosen]);
  return everyClaim(places).filter(({ key }) => taken.has(key));
}

export const placesKey = (form: string): string => `places/${nameInStore(form)}`;

/** Hashed with a secret, so that others cannot try out values. `undefined` if the field is empty. */
export function registrationOf(
  secret: string,
  { id: form, fields }: Pick<Form, 'id' | 'fields'>,
  { by }: Pick<Once, 'by'>,
  value: string,
): Registration | undefined {
  const canonical = fields.find(({ name }) => name === by)?.canonical(value) ?? value;
  // Ignore spaces, case and compatibility variants of letters.
  const plain = sameAddress(canonical.normalize('NFKC').replaceAll(/\s/g, ''));
  if (plain === '') return undefined;
  const key = createHmac('sha256', secret).update('form-relay once').digest();
  const hash = createHmac('sha256', key)
    .update(JSON.stringify([form, by, plain]))
    .digest('hex')
    .slice(0, 32);
  return { key: registrationKey(form, hash), hash };
}

/** How many places of an option are left; `undefined` if the option has no limit. */
export function leftOf({ options }: Places, tally: Tally, field: string, value: string): number | undefined {
  const limit = options.get(field)?.get(value);
  return limit === undefined ? undefined : Math.max(0, limit - usedOf(tally, optionKey(field, value)));
}

/**
 * Whether the visitor can no longer send the form: no place is left, or no option of a required field, or no
 * place for an option that the link locks.
 */
export function isFull(
  places: Places,
  fields: readonly Field[],
  tally: Tally,
  locked?: ReadonlyMap<string, readonly string[]>,
): boolean {
  const { total, options } = places;
  const isTaken = ({ name, required, visible_when, options: all }: Field) => {
    // Visitors who do not see the field do not need its options.
    if (visible_when || !options.has(name)) return false;
    const isGone = (value: string) => leftOf(places, tally, name, value) === 0;
    const fixed = locked?.get(name);
    return fixed ? fixed.some(isGone) : required && all?.every(({ value }) => isGone(value));
  };
  return (total !== undefined && usedOf(tally, allPlaces) >= total) || fields.some(isTaken);
}
