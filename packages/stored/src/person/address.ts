/**
 * How an address occurs. `whole`: a value is the address, alone or as in `Ada <ada@example.org>`, so that the person wrote
 * it as theirs. `mentioned`: it stands in longer text, which another person may have written.
 */
export type Occurrence = 'whole' | 'mentioned';

/** @returns How the address occurs in values of fields; letter case aside. */
export function occurrenceIn(
  email: string,
  values: Iterable<string>,
  others: Iterable<string> = [],
): Occurrence | undefined {
  const wanted = email.trim().toLowerCase();
  const part = mentionOf(email);
  let isMentioned = false;
  for (const value of values) {
    const text = value.trim().toLowerCase();
    if (text === wanted || /^[^<>]*<([^<>]*)>$/.exec(text)?.[1]?.trim() === wanted) return 'whole';
    isMentioned ||= part.test(text);
  }
  for (const other of others) isMentioned ||= part.test(other.toLowerCase());
  return isMentioned ? 'mentioned' : undefined;
}

/** Finds an address in text of small letters, and not as a part of another one. */
export function mentionOf(email: string): RegExp {
  const escaped = email
    .trim()
    .toLowerCase()
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `(^|[^\\p{L}\\p{N}.!#$%&'*+/=?^_\`{|}~@-])${escaped}(?![\\p{L}\\p{N}@-]|\\.[\\p{L}\\p{N}])`,
    'u',
  );
}
