/** All that a form counts, as its owner reads it. */
import { ClientError } from '../../base/client_error.ts';
import type { Tally } from '../../base/counts.ts';
import { hiddenIn } from '../../counting/hidden.ts';
import type { Form } from '../../form.ts';
import { singleUse } from '../links/single_use.ts';
import { linkOf, partKeys, placesKey } from './claims.ts';
import { places } from './places.ts';

export interface Counts {
  /** By key, without those that are damaged. */
  readonly tallies: ReadonlyMap<string, Tally>;
  /** By key. */
  readonly damaged: ReadonlyMap<string, ClientError>;
}

/** A submission whose outcome a crash hid, with all that it has reserved. */
export interface Hidden {
  readonly id: string;
  readonly since: string;
  /** `''` for a place of the form, an option such as `day=sat`, `registration`, or `link` with its id. */
  readonly of: readonly string[];
}

const mostAtOnce = 16;

/** Reads some at once, and goes on past what is damaged. Rejects if the store fails otherwise. */
export async function readCounts(form: Form, read: (key: string) => Promise<Tally>): Promise<Counts> {
  const tallies = new Map<string, Tally>();
  const damaged = new Map<string, ClientError>();
  const keys = everyKey(form);
  for (let at = 0; at < keys.length; at += mostAtOnce) {
    const some = keys.slice(at, at + mostAtOnce);
    const found = await Promise.all(some.map((key) => read(key).catch(whyDamaged)));
    for (const [index, key] of some.entries()) {
      const one = found[index];
      if (one instanceof ClientError) damaged.set(key, one);
      else if (one) tallies.set(key, one);
    }
  }
  return { tallies, damaged };
}

function whyDamaged(error: unknown): ClientError {
  if (error instanceof ClientError && error.code === 'counts_damaged') return error;
  throw error;
}

/** Submissions whose outcome a crash hid, each with everything that it reserved. */
export function hiddenOf({ tallies }: Counts, now: number): readonly Hidden[] {
  const all = new Map<string, Hidden>();
  for (const tally of tallies.values())
    for (const [id, { at, keys }] of hiddenIn(tally, now)) {
      const { since = new Date(at * 1_000).toISOString(), of = [] } = all.get(id) ?? {};
      all.set(id, { id, since, of: [...of, ...keys.map(inPublic)] });
    }
  return [...all.values()];
}

function everyKey(form: Form): readonly string[] {
  const asked = places.of(form);
  return [
    ...(asked ? [placesKey(form.id), ...(asked.once ? partKeys('once', form.id) : [])] : []),
    ...(singleUse.of(form)?.counted ? partKeys('links', form.id) : []),
  ];
}

/** The hash of a registration tells nobody anything. */
function inPublic(key: string): string {
  const link = linkOf(key);
  if (link !== undefined) return `link ${link}`;
  return /^[0-9a-f]{32}$/.test(key) ? 'registration' : key;
}

/** What the keys of a form begin with: the folders of its counts, where these are in folders. */
export const countFolders = (form: Form): readonly string[] => [
  ...new Set(everyKey(form).map((key) => key.split('/', 2).join('/'))),
];
