import { ok, type Result } from '@form-relay/base/result';
import { ahead } from '@form-relay/stored/archive/ahead';
import { type Choice, documentPath, type Entry, type Tell } from '@form-relay/stored/archive/archive';
import { asCsv, asJsonLines, readAtOnce } from '@form-relay/stored/archive/export';
import { type Reading, readEntry } from '@form-relay/stored/archive/read_entry';
import { printable } from '@form-relay/yaml/excerpt';
import { type ArchiveOptions, beginningOf, withArchive, writeOut } from './open_archive.ts';

export type ListOptions = ArchiveOptions & Choice;

/** A line for each submission: when it came, its id, its form, and how it begins. */
export const listArchive = (options: ListOptions): Promise<void> =>
  withArchive(options, (reading, tell) => writeOut(lines(reading, options, tell)));

async function* lines(reading: Reading, choice: Choice, tell: Tell): AsyncGenerator<string> {
  const all = ahead(reading.archive.entries(choice, tell), readAtOnce, async (entry) => ({
    entry,
    begins: await beginning(reading, entry),
  }));
  for await (const { entry, begins } of all) {
    const { receivedAt, id, form } = entry;
    if (!begins.ok) tell({ kind: 'unread', path: documentPath(entry), what: begins.error });
    const says = begins.ok ? begins.value : `(${begins.error})`;
    yield `${new Date(receivedAt).toISOString()}  ${printable(`${id}  ${form}  ${says}`).trimEnd()}\n`;
  }
}

async function beginning(reading: Reading, entry: Entry): Promise<Result<string, string>> {
  // Its place tells enough to find it.
  if (entry.isSealed && !reading.unseal) return ok('(sealed)');
  const document = await readEntry(reading, entry);
  if (!document.ok) return document;
  const { fields, files } = document.value;
  return ok(beginningOf([...fields.flatMap(({ values }) => values), ...files.map(({ name }) => name)]));
}

export type ExportOptions = ArchiveOptions & Choice & { readonly format: 'csv' | 'jsonl' };

/** Writes what an archive holds to stdout, for a spreadsheet or for a program. */
export const exportArchive = (options: ExportOptions): Promise<void> =>
  withArchive(options, (reading, tell) =>
    writeOut((options.format === 'csv' ? asCsv : asJsonLines)(reading, options, tell)),
  );
