import type { ArchiveDocument } from '@form-relay/more-outputs/archive_layout';
import { type Choice, documentPath, type Entry, type Tell } from './archive.ts';
import { writeDocument } from './document.ts';
import { type Reading, readEntry } from './read_entry.ts';
import { type Cell, cellsOf, table } from './sheet.ts';

/** Works on at most so many items at once, ahead of their use. Results keep the order of the items. */
export async function* ahead<T, U>(
  items: AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<U>,
): AsyncGenerator<U> {
  const underWay: Promise<U>[] = [];
  for await (const item of items) {
    const result = work(item);
    // The loop awaits it later, and sees a rejection then. Until then, a rejection must not end the process.
    result.catch(() => {});
    underWay.push(result);
    if (underWay.length >= most) yield (await underWay.shift()) as U;
  }
  for (const result of underWay) yield await result;
}

/** How many documents are read at once. A bucket takes its time for each; a disk is busy with a few. */
export const readAtOnce = 16;

export interface Read {
  readonly entry: Entry;
  readonly document: ArchiveDocument;
}

/** Every submission of the choice that can be read. */
export async function* readAll(reading: Reading, choice: Choice, tell: Tell): AsyncGenerator<Read> {
  const all = ahead(reading.archive.entries(choice, tell), readAtOnce, async (entry) => ({
    entry,
    document: await readEntry(reading, entry),
  }));
  for await (const { entry, document } of all) {
    if (document.ok) yield { entry, document: document.value };
    else tell({ kind: 'unread', path: documentPath(entry), what: document.error });
  }
}

/** A document a line, with all that it says, and where it stands as `archive_path`. */
export async function* asJsonLines(reading: Reading, choice: Choice, tell: Tell): AsyncGenerator<string> {
  for await (const { entry, document } of readAll(reading, choice, tell)) {
    const path = documentPath(entry);
    const line = writeDocument({ ...document, archive_path: path });
    if (line.ok) yield `${line.value}\n`;
    else tell({ kind: 'unread', path, what: line.error });
  }
}

/** A table for spreadsheets, in which the cell of a file says where in the archive it is. */
export const asCsv = (reading: Reading, choice: Choice, tell: Tell): AsyncGenerator<string> =>
  table(rows(reading, choice, tell));

async function* rows(reading: Reading, choice: Choice, tell: Tell) {
  for await (const { entry, document } of readAll(reading, choice, tell))
    yield { ...document, cells: cellsIn(entry, document) };
}

function cellsIn({ folder }: Entry, { fields, files }: ArchiveDocument): ReadonlyMap<string, Cell> {
  const paths = new Map<string, string[]>();
  for (const { field, path } of files) {
    const own = paths.get(field);
    if (own) own.push(`${folder}/${path}`);
    else paths.set(field, [`${folder}/${path}`]);
  }
  return new Map<string, Cell>([...fields.flatMap((field) => cellsOf(field)), ...paths]);
}
