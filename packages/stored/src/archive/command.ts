/** The command `relay archive`. */
import { ok, type Result } from '@form-relay/base/result';
import { writeOut } from '@form-relay/base/terminal';
import {
  type Command,
  type CommandContext,
  CommandFailed,
  command,
  flag,
  needed,
  option,
} from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { anyText, fileName } from '@form-relay/schema/scalars';
import { printable } from '@form-relay/yaml/problem';
import {
  form,
  format,
  fromOne,
  fromOwn,
  fromSome,
  identity,
  mentions,
  since,
  until,
  writtenAddress,
} from '../options.ts';
import { erasePerson, exportPerson } from '../person/command.ts';
import { type ArchiveOptions, beginningOf, saveFile, withArchive } from '../terminal.ts';
import { type Choice, documentPath, type Entry, type Tell } from './archive.ts';
import { ahead, asCsv, asJsonLines, readAtOnce } from './export.ts';
import { prune } from './prune_command.ts';
import { type Reading, readEntry, readFile, writeDocument } from './read_entry.ts';
import { archivesIn } from './retention.ts';

const list = command({
  name: 'list',
  summary: 'print a line for each submission',
  description: 'print a line for each submission in an archive: time, id, form and first words',
  options: { from: fromOwn, identity, form, since, until },
  examples: [
    ['relay archive list --from archive --since 2026-11-01', 'submissions since the first of November'],
    [
      'relay archive list --from archive --form contact --identity key.txt',
      'sealed submissions, with the key',
    ],
  ],
  run: async (options, context) => listArchive({ ...options, from: await archiveOf(options.from, context) }),
});

const show = command({
  name: 'show',
  summary: 'print a submission and save its files',
  description: 'print a submission of an archive as JSON, and save its files',
  arguments: {
    id: needed('id', "the submission's id, from relay archive list, the log or the answer", anyText),
  },
  options: {
    from: fromOwn,
    identity,
    form,
    files: option('folder', 'save its files in this folder; never overwrites files', fileName),
  },
  examples: [
    [
      'relay archive show 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11 --from archive',
      'the document, with the paths of its files',
    ],
  ],
  run: async ({ id, ...options }, context) =>
    showEntry(id, { ...options, from: await archiveOf(options.from, context) }),
});

const exported = command({
  name: 'export',
  summary: 'print submissions as CSV or JSON Lines',
  description: 'print the submissions of an archive as CSV for spreadsheets, or as JSON Lines',
  options: {
    from: fromOne,
    email: option(
      'address',
      'all submissions from this person, as JSON Lines, including queued deliveries',
      writtenAddress,
      {
        conflicts: ['format', 'since', 'until'],
      },
    ),
    mentions,
    format,
    identity,
    form,
    since,
    until,
  },
  examples: [
    ['relay archive export --from archive --form contact > contact.csv', 'to open in a spreadsheet'],
    [
      'relay archive export --from archive --format jsonl --identity key.txt',
      'sealed submissions, for programs',
    ],
    ['relay archive export --from archive --email ada@example.org', 'all submissions from one person'],
  ],
  run: async ({ email, from, ...options }, context) => {
    if (email !== undefined) return exportPerson({ ...options, email, from }, context);
    const [archive, ...more] = from ?? [];
    if (more.length > 0)
      throw context.misuse("name one archive with '--from', or a person's address with '--email'");
    return exportArchive({ ...options, from: await archiveOf(archive, context) });
  },
});

const erase = command({
  name: 'erase',
  summary: 'find and erase all data of one person',
  description:
    'list all submissions from an address, in archives, queued deliveries and rejected submissions; after confirmation, remove them',
  options: {
    email: needed('address', "the person's address", writtenAddress),
    from: fromSome,
    form,
    identity,
    mentions,
    record: option('file', 'file that records the erasure (default: FOLDER.erased.jsonl)', fileName),
    dryRun: flag('only list, remove nothing'),
    yes: flag('do not ask for confirmation'),
  },
  examples: [
    ['relay archive erase --email ada@example.org --from archive --dry-run', 'list what would be removed'],
    ['relay archive erase --email ada@example.org --from archive --yes', 'without confirmation'],
  ],
  run: (options, context) => erasePerson(options, context),
});

const archive: Command = {
  name: 'archive',
  summary: 'read, export and remove submissions in archives',
  commands: [list, show, exported, prune, erase],
};

export const plugin: Plugin = { name: 'archive', commands: [archive] };

/** The archive to read. Default: that of the config, if it has just one. */
async function archiveOf(from: string | undefined, context: CommandContext): Promise<string> {
  if (from !== undefined) return from;
  const config = await context.tryConfig();
  if (!config.ok) throw new CommandFailed(`${config.error}\nName the archive with --from.`);
  const [archive, ...more] = archivesIn([...config.value.forms.values()]);
  if (archive === undefined) throw new CommandFailed('the config has no archive; give one with --from');
  if (more.length === 0) return archive;
  const all = [archive, ...more].map(printable).join(', ');
  throw new CommandFailed(`the config has ${more.length + 1} archives; name one with --from: ${all}`);
}

type ListOptions = ArchiveOptions & Choice;

/** Prints the selected submissions, or says on stderr that there are none. */
const printSelected = (
  options: ListOptions,
  piecesOf: (reading: Reading, choice: Choice, tell: Tell) => AsyncIterable<string>,
): Promise<void> =>
  withArchive(options, async (reading, tell) => {
    const { archive } = reading;
    let isEmpty = true;
    async function* entries(choice: Choice, tell: Tell) {
      for await (const entry of archive.entries(choice, tell)) {
        isEmpty = false;
        yield entry;
      }
    }
    await writeOut(piecesOf({ ...reading, archive: { ...archive, entries } }, options, tell));
    const { form, since, until } = options;
    const hasChoice = (form ?? since ?? until) !== undefined;
    if (isEmpty)
      process.stderr.write(`no submission in ${printable(options.from)}${hasChoice ? ' matches' : ''}\n`);
  });

/** Prints a line for each submission: its time, id, form and first words. */
const listArchive = (options: ListOptions): Promise<void> => printSelected(options, lines);

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
  // The entry's path identifies it without opening it.
  if (entry.isSealed && !reading.unseal) return ok('(sealed)');
  const document = await readEntry(reading, entry);
  if (!document.ok) return document;
  const { fields, files } = document.value;
  return ok(beginningOf([...fields.flatMap(({ values }) => values), ...files.map(({ name }) => name)]));
}

type ExportOptions = ArchiveOptions & Choice & { readonly format: 'csv' | 'jsonl' };

/** Prints the submissions of an archive, for spreadsheets or programs. */
const exportArchive = (options: ExportOptions): Promise<void> =>
  printSelected(options, options.format === 'csv' ? asCsv : asJsonLines);

interface ShowOptions extends ArchiveOptions {
  readonly form?: string;
  /** The folder that the files are written to. */
  readonly files?: string;
}

/** Prints a submission's document and saves its files. If several outputs wrote a document, prints each of them. */
const showEntry = (id: string, { form, files, ...options }: ShowOptions): Promise<void> =>
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

/** All entries of a submission, one for each output that archives it. Throws a `CommandFailed` if there are none. */
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
    `no submission in ${from} has the id ${printable(id)}; relay archive list shows all submissions`,
  );
}
