import { ahead } from '@form-relay/stored/archive/ahead';
import { writeDocument } from '@form-relay/stored/archive/document';
import { type Cell, cellsOf, table } from '@form-relay/stored/archive/sheet';
import type { Query } from '../api.ts';
import type { EntryIndex, Forms, IndexedEntry } from '../entry_index.ts';
import type { Documents } from './documents.ts';

export interface Exporting {
  readonly index: Pick<EntryIndex, 'ids' | 'get'>;
  readonly documents: Documents;
  readonly query: Query;
  /** In place of a choice. */
  readonly ids?: ReadonlySet<string> | undefined;
  readonly forms: Forms;
}

/** How many documents are read at once. */
const readAtOnce = 16;

async function* idsOf({ index, query, ids, forms }: Exporting) {
  if (ids) yield* ids;
  else for await (const some of index.ids(query, forms)) yield* some;
}

/** Each submission of a choice, newest first, with its document or in words why that cannot be read. */
async function* all(context: Exporting) {
  const { index, documents } = context;
  const { forms } = context;
  const read = ahead(idsOf(context), readAtOnce, async (id) => {
    const entry = await index.get(id);
    return entry && (!forms || forms.has(entry.form)) && { entry, found: await documents.read(entry) };
  });
  for await (const one of read) if (one) yield one;
}

const factsOf = ({ id, form, receivedAt, state }: IndexedEntry) => ({
  id,
  form,
  received_at: new Date(receivedAt).toISOString(),
  state,
});

/** A line for each: its document, its state and its place; of one that cannot be read, why. */
export async function* asJsonLines(context: Exporting): AsyncGenerator<string> {
  for await (const { entry, found } of all(context)) {
    const facts = factsOf(entry);
    const line = found.ok
      ? writeDocument({
          ...found.value.document,
          ...facts,
          archive_path: found.value.copy.path,
        })
      : writeDocument({ ...facts, unreadable: found.error });
    yield `${line.ok ? line.value : JSON.stringify({ ...facts, unreadable: line.error })}\n`;
  }
}

/** A table for spreadsheets, with no formula in it. What cannot be read is a row without values. */
export const asCsv = (context: Exporting): AsyncGenerator<string> =>
  table(
    () => rows(context),
    () => {},
    true,
  );

async function* rows(context: Exporting) {
  for await (const { entry, found } of all(context)) {
    const cells = new Map<string, Cell>();
    const named = new Map<string, readonly string[]>();
    if (found.ok) {
      const { fields, files } = found.value.document;
      for (const { field, name } of files) named.set(field, [...(named.get(field) ?? []), name]);
      for (const [column, cell] of [...fields.flatMap(cellsOf), ...named]) cells.set(column, cell);
    }
    const page = found.ok ? found.value.document.page : undefined;
    yield { ...factsOf(entry), cells, ...(page && { page }) };
  }
}
