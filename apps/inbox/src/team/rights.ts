import type { InboxSettings } from '@form-relay/stored/inbox_key';
import type { Right } from '../api.ts';

/** The rights that a config gives to somebody. */
export interface Rights {
  /** The forms that the person may read; `undefined`: all. */
  readonly forms: ReadonlySet<string> | undefined;
  may(right: Right, form: string): boolean;
}

type Entry = InboxSettings['people'][number];

/** The rights of all entries that mean this person, by an address that the provider verified, together; `undefined` if there is none to read. */
export function rightsOf(
  people: readonly Entry[],
  { email, groups }: { readonly email: string | undefined; readonly groups: readonly string[] },
): Rights | undefined {
  const address = email && lowerCase(email);
  const own = people.filter(
    (entry) =>
      (entry.email !== undefined && lowerCase(entry.email) === address) ||
      (entry.group !== undefined && groups.includes(entry.group)),
  );
  const has = (right: Right, form: string) =>
    own.some(({ may, forms }) => may.includes(right) && (forms?.includes(form) ?? true));
  const reading = own.filter(({ may }) => may.includes('read'));
  if (reading.length === 0) return undefined;
  return {
    forms: reading.some(({ forms }) => !forms)
      ? undefined
      : new Set(reading.flatMap(({ forms = [] }) => forms)),
    may: (right, form) => has('read', form) && has(right, form),
  };
}

/** Changes only ASCII: `toLowerCase` would turn the Kelvin sign into a `k`, and another address into this one. */
export const lowerCase = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
