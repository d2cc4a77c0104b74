import { documentPath, type Entry } from '@form-relay/stored/archive/archive';
import { writeDocument } from '@form-relay/stored/archive/document';
import { type Reading, readEntry, readFile } from '@form-relay/stored/archive/read_entry';
import { printable } from '@form-relay/yaml/excerpt';
import { CommandFailed } from './command_failed.ts';
import { type ArchiveOptions, withArchive } from './open_archive.ts';
import { saveFile } from './save_file.ts';

export interface ShowOptions extends ArchiveOptions {
  readonly form?: string;
  /** The folder that the files are written to. */
  readonly files?: string;
}

/** Prints a submission's document, and writes its files out. Every document, where several outputs wrote one. */
export const showEntry = (id: string, { form, files, ...options }: ShowOptions): Promise<void> =>
  withArchive(options, async (reading, tell) => {
    const found = await findEntries(reading, options.from, id, form);
    const names = new Set<string>();
    for (const entry of found) {
      const document = await readEntry(reading, entry);
      const text = document.ok ? writeDocument(document.value, 2) : document;
      if (!text.ok) {
        tell({ kind: 'unread', path: documentPath(entry), what: text.error });
        continue;
      }
      process.stdout.write(`${text.value}\n`);
      if (files === undefined || !document.ok) continue;
      for (const file of document.value.files) {
        const bytes = await readFile(reading, entry, file);
        if (bytes.ok) await saveFile(files, { name: file.name, bytes: bytes.value }, names);
        else tell({ kind: 'unread', path: `${entry.folder}/${file.path}`, what: bytes.error });
      }
    }
  });

/** Every entry of a submission: one for each output that archives its form. Throws a `CommandFailed` if there is none. */
export async function findEntries(
  { archive }: Reading,
  from: string,
  id: string,
  form: string | undefined,
): Promise<readonly [Entry, ...Entry[]]> {
  const found: Entry[] = [];
  for await (const entry of archive.entries({ form }, () => {})) {
    // All documents of a submission are in the same folder.
    if (found[0] && entry.folder !== found[0].folder) break;
    if (entry.id === id) found.push(entry);
  }
  const [first, ...more] = found;
  if (first) return [first, ...more];
  throw new CommandFailed(
    `no submission in ${from} has the id ${printable(id)}; relay archive list shows all of them`,
  );
}
