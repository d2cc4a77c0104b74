import { comparable, sameAddress } from '@form-relay/base/same_address';

/** How an address occurs. `whole`: a value is the address, maybe with a name. `mentioned`: it stands in longer text. */
export type Occurrence = 'whole' | 'mentioned';

/** @returns How the address occurs in values of fields, however it is spelled. */
export function occurrenceIn(
  email: string,
  values: Iterable<string>,
  others: Iterable<string> = [],
): Occurrence | undefined {
  const wanted = sameAddress(email);
  const mention = mentionOf(wanted);
  let isMentioned = false;
  for (const value of values) {
    if (sameAddress(value) === wanted) return 'whole';
    isMentioned ||= mention.test(comparable(value));
  }
  for (const other of others) isMentioned ||= mention.test(comparable(other));
  return isMentioned ? 'mentioned' : undefined;
}

/** Finds an address in a comparable text, and not as a part of another one. */
function mentionOf(address: string): RegExp {
  const escaped = address.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `(^|[^\\p{L}\\p{N}.!#$%&'*+/=?^_\`{|}~@-])${escaped}(?![\\p{L}\\p{N}@-]|\\.[\\p{L}\\p{N}])`,
    'u',
  );
}

/** The words of an address, to find all its spellings in an index. Empty: everything has to be looked at. */
export function searchFor(email: string): string {
  const search = sameAddress(email)
    .replaceAll(/(?<=[@.])xn--[^.]*/g, '')
    .replaceAll('@', ' ');
  return /[\p{L}\p{N}]/u.test(search) ? search : '';
}
