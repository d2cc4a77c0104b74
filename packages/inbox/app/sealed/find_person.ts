/** Sealed submissions of one person, among those that this browser can open. */
import { occurrenceIn, searchFor } from '@form-relay/stored/person/address';
import type { Sealed } from './sealed.ts';
import type { SealedRow } from './sealed_index.ts';

/** Looks as `relay archive erase` does: a value is the address, alone or as in `Ada <ada@example.org>`. */
export async function findPerson(
  sealed: Pick<Sealed, 'search' | 'rows' | 'open'>,
  email: string,
): Promise<readonly SealedRow[]> {
  const rows = await sealed.rows(await sealed.search(searchFor(email)));
  const own: SealedRow[] = [];
  for (const row of rows) {
    if (!row) continue;
    const document = await sealed.open(row.id);
    if (!document.ok) continue;
    const values = document.value.fields.flatMap((field) => field.values);
    if (occurrenceIn(email, values) === 'whole') own.push(row);
  }
  return own;
}
