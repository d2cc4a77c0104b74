import { structureIn } from '@form-relay/core/fields/json';
import type { ArchiveDocument } from '@form-relay/more-outputs/archive_layout';

/** A submission as a row. */
export interface Row extends Pick<ArchiveDocument, 'received_at' | 'form' | 'id' | 'page'> {
  /** Under its name what stands in the cell of each field: of files, where they are or what they are called. */
  readonly cells: ReadonlyMap<string, Cell>;
  /** What became of it, in tables with that column. */
  readonly state?: string;
}

/** A cell with one value or several, or a cell for each of the entries of a field. */
export type Cell = readonly string[] | { readonly each: readonly string[]; readonly of: string };

/** The cells of a field: one of parts has a column for each of them, and where they repeat, a row for each entry. */
export function cellsOf({
  name,
  values,
  in_words,
}: ArchiveDocument['fields'][number]): readonly (readonly [column: string, cell: Cell])[] {
  const structure = in_words && structureIn(values[0] ?? '');
  if (!structure) return [[name, values]];
  const isList = Array.isArray(structure);
  const items: readonly Record<string, unknown>[] = (isList ? structure : [structure]).map(Object);
  return [...new Set(items.flatMap((item) => Object.keys(item)))].map((column) => {
    const each = items.map((item) => [item[column] ?? ''].flat().map(String).join('; '));
    return [`${name}.${column}`, isList ? { each, of: name } : each];
  });
}

/** The columns of a table of submissions: what each has, then the fields, in the order in which they first come up. */
class Columns {
  readonly #places = new Map<string, number>();

  constructor(private readonly always: readonly string[]) {}

  /** Makes a column for each field of a submission that has none yet. */
  add({ cells }: Row): void {
    for (const name of cells.keys()) if (!this.#places.has(name)) this.#places.set(name, this.#places.size);
  }

  /** The first record, with the names of the columns. */
  header(): string {
    // A field may have the name of a column that every table has.
    const fields = [...this.#places.keys()].map((name) =>
      this.always.includes(name) ? `${name} (field)` : name,
    );
    return record([...this.always, ...fields]);
  }

  /** A submission's records: `undefined` for a field without a column. Entries that repeat have a row each. */
  rows({ received_at, form, id, page, state, cells }: Row): string | undefined {
    const facts = { received_at, form, id, page: page?.url ?? '', state: state ?? '' };
    const own = this.always.map((name) => facts[name as keyof typeof facts]);
    /** The first row of each field that repeats. */
    const starts = new Map<string, number>();
    let count = 0;
    for (const cell of cells.values()) {
      if (!('each' in cell) || starts.has(cell.of)) continue;
      starts.set(cell.of, count);
      count += cell.each.length;
    }
    const texts = Array.from({ length: Math.max(count, 1) }, () =>
      Array.from({ length: this.#places.size }, () => ''),
    );
    for (const [name, cell] of cells) {
      const place = this.#places.get(name);
      if (place === undefined) return undefined;
      const [start = 0, each] =
        'each' in cell ? [starts.get(cell.of), cell.each] : [undefined, [cell.join('; ')]];
      for (const [index, text] of each.entries()) (texts[start + index] as string[])[place] = text;
    }
    return texts.map((row) => record([...own, ...row])).join('');
  }
}

const always = ['received_at', 'form', 'id', 'page'];
const withState = [...always, 'state'];

/** A table for spreadsheets; all is read twice, first for its columns. @param rows Tells what is unreadable at `true`. */
export async function* table<R extends Row>(
  rows: (isTold: boolean) => AsyncIterable<R>,
  tellLate: (row: R, what: string) => void,
  hasState = false,
): AsyncGenerator<string> {
  const columns = new Columns(hasState ? withState : always);
  for await (const row of rows(false)) columns.add(row);
  yield byteOrderMark + columns.header();
  for await (const row of rows(true)) {
    const line = columns.rows(row);
    if (line !== undefined) yield line;
    else tellLate(row, 'came while the table was made; make it once more');
  }
}

/** Excel takes a file without it for one in the machine's old 8-bit character set. */
export const byteOrderMark = '\ufeff';

/**
 * A record of RFC 4180, with its line end. Each cell is in quotes. No spreadsheet takes what a visitor wrote for a formula
 * (OWASP: CSV Injection), not even one that knows another separator, as Excel does in half of Europe: it would begin a cell
 * at each semicolon, tab and line break, in quotes or not.
 */
export const record = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

const cell = (text: string) => `"${withoutFormulas(text).replaceAll('"', '""')}"`;

/** As Excel and LibreOffice do when somebody types it: with an apostrophe before, it is text. */
const withoutFormulas = (text: string) =>
  (/^[\t\r\n]/.test(text) ? `'${text}` : text).replaceAll(start, (all, before: string, sign: string) =>
    sign === '' ? all : `${before}'${sign}`,
  );

/** The beginning of a cell, and a sign that makes it a formula. Programs in East Asia accept the full-width signs. */
const start = /((?:^|[;\t\r\n])[;"\s]*)([=+\-@＝＋－＠]?)/g;
