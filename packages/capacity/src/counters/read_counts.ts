/** All counts of a form, as shown to the owner. */

import { ClientError } from '@form-relay/base/client_error';
import type { Form } from '@form-relay/core/index';
import { placesKey } from '../places/claims.ts';
import { registrationKeys } from './registration.ts';
import { staleIn, type Tally } from './tally.ts';

export interface Counts {
  /** The readable tallies, by key. */
  readonly tallies: ReadonlyMap<string, Tally>;
  /** A single error for each file, because keys may share a file. */
  readonly damaged: readonly ClientError[];
}

/** A submission whose outcome is unknown after a crash, with everything that it reserved. */
export interface Hidden {
  readonly id: string;
  readonly since: string;
  /** An empty text for a place of the form, an option such as `day=sat`, or `registration`. */
  readonly of: readonly string[];
}

const mostAtOnce = 16;
const unread = ['counts_damaged', 'counts_newer'];

/**
 * Reads several counts at once, and skips those that are damaged or from a newer relay. Rejects if the store
 * fails for any other reason.
 */
export async function readCounts(form: Form, read: (key: string) => Promise<Tally>): Promise<Counts> {
  const tallies = new Map<string, Tally>();
  const damaged = new Map<string, ClientError>();
  const keys = countedKeys(form);
  for (let at = 0; at < keys.length; at += mostAtOnce) {
    const some = keys.slice(at, at + mostAtOnce);
    const found = await Promise.all(some.map((key) => read(key).catch(whyDamaged)));
    for (const [index, key] of some.entries()) {
      const one = found[index];
      if (one instanceof ClientError) damaged.set(one.message, one);
      else if (one) tallies.set(key, one);
    }
  }
  return { tallies, damaged: [...damaged.values()] };
}

function whyDamaged(error: unknown): ClientError {
  if (error instanceof ClientError && unread.includes(error.code ?? '')) return error;
  throw error;
}

/** Submissions whose outcome is unknown after a crash, each with everything that it reserved. */
export function hiddenOf({ tallies }: Counts, now: number): readonly Hidden[] {
  const all = new Map<string, Hidden>();
  for (const tally of tallies.values())
    for (const [id, { at, keys }] of staleIn(tally, now)) {
      const { since = new Date(at * 1_000).toISOString(), of = [] } = all.get(id) ?? {};
      all.set(id, { id, since, of: [...of, ...keys.map(inPublic)] });
    }
  return [...all.values()];
}

/** The keys of a form's counts. */
export function countedKeys({ id, provided }: Form): readonly string[] {
  const places = provided.get('counters') && provided.get('places');
  return places ? [placesKey(id), ...(places.once ? registrationKeys(id) : [])] : [];
}

/** Whether a form counts places or registrations. */
export const counts = (form: Form): boolean => countedKeys(form).length > 0;

/** Replaces the hash of a registration, which would mean nothing to a reader. */
const inPublic = (key: string): string => (/^[0-9a-f]{32}$/.test(key) ? 'registration' : key);
