import { readDocument } from '@form-relay/stored/archive/document';
import type { StoredAt } from '../entry_index.ts';

/** Whether an address stands in one of the documents, letter case aside, and not as a part of another one. */
export async function holdsAddress(
  stored: readonly StoredAt[],
  email: string,
  read: (at: StoredAt) => Promise<Uint8Array | string>,
): Promise<boolean> {
  const escaped = email
    .trim()
    .toLowerCase()
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const address = new RegExp(
    `(^|[^\\p{L}\\p{N}.!#$%&'*+/=?^_\`{|}~@-])${escaped}(?![\\p{L}\\p{N}@-]|\\.[\\p{L}\\p{N}])`,
    'u',
  );
  for (const at of stored) {
    const bytes = at.path.endsWith('.age') ? '' : await read(at);
    const document = typeof bytes === 'string' ? undefined : readDocument(bytes);
    if (!document?.ok) continue;
    const { fields } = document.value;
    if (fields.some(({ values }) => values.some((value) => address.test(value.toLowerCase())))) return true;
  }
  return false;
}
