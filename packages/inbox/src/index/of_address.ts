import { readDocument } from '@form-relay/stored/archive/document';
import { occurrenceIn } from '@form-relay/stored/person/address';
import type { StoredAt } from '../entry_index.ts';

/** Whether an address stands in one of the documents, however it is spelled. */
export async function holdsAddress(
  stored: readonly StoredAt[],
  email: string,
  read: (at: StoredAt) => Promise<Uint8Array | string>,
): Promise<boolean> {
  for (const at of stored) {
    const bytes = at.path.endsWith('.age') ? '' : await read(at);
    const document = typeof bytes === 'string' ? undefined : readDocument(bytes);
    if (!document?.ok) continue;
    const values = document.value.fields.flatMap((field) => field.values);
    if (occurrenceIn(email, values)) return true;
  }
  return false;
}
