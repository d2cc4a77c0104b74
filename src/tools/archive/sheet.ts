import type { ArchiveDocument } from '../../transports/archive/entry.ts';
import type { Entry } from './archive.ts';
import { record } from './csv.ts';

/** The columns of a table of submissions: what each has, then the fields, in the order in which they first come up. */
export class Columns {
  readonly #places = new Map<string, number>();

  /** Makes a column for each field of a submission that has none yet. */
  add(entry: Entry, document: ArchiveDocument): void {
    for (const name of inWords(entry, document).keys())
      if (!this.#places.has(name)) this.#places.set(name, this.#places.size);
  }

  /** The first record, with the names of the columns. */
  header(): string {
    // A field may have the name of a column that every table has.
    const fields = [...this.#places.keys()].map((name) => (always.includes(name) ? `${name} (field)` : name));
    return record([...always, ...fields]);
  }

  /** A submission's record: `undefined` when it has a field that no column was made for. */
  row(entry: Entry, document: ArchiveDocument): string | undefined {
    const { received_at, form, id, page } = document;
    const cells = Array.from({ length: this.#places.size }, () => '');
    for (const [name, texts] of inWords(entry, document)) {
      const place = this.#places.get(name);
      if (place === undefined) return undefined;
      cells[place] = texts.join('; ');
    }
    return record([received_at, form, id, page?.url ?? '', ...cells]);
  }
}

const always = ['received_at', 'form', 'id', 'page'];

/** What each field's cell holds: of files, where they are in the archive. */
function inWords(
  { folder }: Entry,
  { fields, files }: ArchiveDocument,
): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, string[]>();
  for (const { field, path } of files) {
    const own = paths.get(field);
    if (own) own.push(`${folder}/${path}`);
    else paths.set(field, [`${folder}/${path}`]);
  }
  return new Map([...fields.map(({ name, values }) => [name, values] as const), ...paths]);
}
