import { readDocument } from '@form-relay/stored/archive/document';
import { mentionOf } from '@form-relay/stored/person/address';
import type { StoredAt } from '../entry_index.ts';

/** Whether an address stands in one of the documents, letter case aside, and not as a part of another one. */
export async function holdsAddress(
  stored: readonly StoredAt[],
  email: string,
  read: (at: StoredAt) => Promise<Uint8Array | string>,
): Promise<boolean> {
  const address = mentionOf(email);
  for (const at of stored) {
    const bytes = at.path.endsWith('.age') ? '' : await read(at);
    const document = typeof bytes === 'string' ? undefined : readDocument(bytes);
    if (!document?.ok) continue;
    const { fields } = document.value;
    if (fields.some(({ values }) => values.some((value) => address.test(value.toLowerCase())))) return true;
  }
  return false;
}
