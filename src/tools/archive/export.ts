import type { ArchiveDocument } from '../../transports/archive/entry.ts';
import { ahead } from './ahead.ts';
import { type Choice, documentPath, type Entry, type Tell } from './archive.ts';
import { byteOrderMark } from './csv.ts';
import { writeDocument } from './document.ts';
import { type Reading, readEntry } from './read_entry.ts';
import { Columns } from './sheet.ts';

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

/**
 * A table for spreadsheets. Its first line names every field, so that everything is read twice. What comes meanwhile with
 * a field that has no column is told.
 */
export async function* asCsv(reading: Reading, choice: Choice, tell: Tell): AsyncGenerator<string> {
  const columns = new Columns();
  for await (const { entry, document } of readAll(reading, choice, () => {})) columns.add(entry, document);
  yield byteOrderMark + columns.header();
  for await (const { entry, document } of readAll(reading, choice, tell)) {
    const row = columns.row(entry, document);
    if (row !== undefined) yield row;
    else
      tell({
        kind: 'unread',
        path: documentPath(entry),
        what: 'came while the table was made; make it once more',
      });
  }
}
