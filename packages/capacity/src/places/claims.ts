/** The limits of a form, and the keys that count towards them. */

import { createHmac } from 'node:crypto';
import { sameAddress } from '@form-relay/base/canonical';
import type { Field, Form, Outcome, Submission, Values } from '@form-relay/core/index';
import type { Registration } from '../counters/registration.ts';
import { type Claim, type Tally, usedOf } from '../counters/tally.ts';
import { nameInStore, registrationKey } from '../names.ts';

export type OptionPlaces = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Allows one submission for each value of a field. */
export interface Once {
  readonly by: string;
  /** For how long, in milliseconds; `undefined`: for ever. */
  readonly for?: number | undefined;
  readonly reveal: boolean;
}

export interface Places {
  readonly total: number | undefined;
  readonly options: OptionPlaces;
  readonly once: Once | undefined;
  /** Whether strangers must not learn who has registered. With `double_opt_in`, only the owner of an address gets that far. */
  readonly isSecret: boolean;
  /** Whether the same submission may come again: a link in a mail is clicked twice, and servers retry. */
  readonly isRemembered: boolean;
  /** How a form without places answers. */
  readonly full: Outcome;
}

/** State of a submission whose visitor cannot change some values: those, by field (`ReadonlyMap<string, readonly string[]>`). */
export const lockedValues = Symbol('locked values');

/** State of a submission that changes an earlier one: the values of that (`Values`), in the request that sent it. */
export const earlierValues = Symbol('earlier values');

/** Whether a change leaves a field as it was. */
export function isUnchanged(submission: Submission, field: string): boolean {
  const before = submission.getState(earlierValues);
  return (
    before instanceof Map &&
    JSON.stringify(before.get(field)) === JSON.stringify(submission.values.get(field))
  );
}

/** All that a submission takes, by their keys in a tally. */
export interface Taken {
  readonly claims: readonly string[];
  readonly once?: Registration | undefined;
}

/** The places of an earlier submission, by the request that shows or sends a change of it. */
export const takenBefore = new WeakMap<object, Taken>();

export const allPlaces = '';
export const optionKey = (field: string, value: string) => `${field}=${value}`;

/** All that a form counts, whatever is submitted. */
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

/** Only who has the secret can try values. `undefined`: nothing was filled in. */
export function registrationOf(
  secret: string,
  { id: form, fields }: Pick<Form, 'id' | 'fields'>,
  { by }: Pick<Once, 'by'>,
  value: string,
): Registration | undefined {
  const canonical = fields.find(({ name }) => name === by)?.canonical(value) ?? value;
  // Spaces, case and compatible letters make no difference in any value.
  const plain = sameAddress(canonical.normalize('NFKC').replaceAll(/\s/g, ''));
  if (plain === '') return undefined;
  const key = createHmac('sha256', secret).update('form-relay once').digest();
  const hash = createHmac('sha256', key)
    .update(JSON.stringify([form, by, plain]))
    .digest('hex')
    .slice(0, 32);
  return { key: registrationKey(form, hash), hash };
}

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
  places: Places,
  fields: readonly Field[],
  tally: Tally,
  locked?: ReadonlyMap<string, readonly string[]>,
): boolean {
  const { total, options } = places;
  const isTaken = ({ name, required, visible_when, options: all }: Field) => {
    // Visitors to whom it is not shown need none of its options.
    if (visible_when || !options.has(name)) return false;
    const isGone = (value: string) => leftOf(places, tally, name, value) === 0;
    const fixed = locked?.get(name);
    return fixed ? fixed.some(isGone) : required && all?.every(({ value }) => isGone(value));
  };
  return (total !== undefined && usedOf(tally, allPlaces) >= total) || fields.some(isTaken);
}
