import { InvalidArgumentError, Option } from 'commander';
import type { ExportOptions, ListOptions } from '../list_archive.ts';
import type { EraseOptions, PersonOptions } from '../person.ts';
import type { PruneOptions } from '../prune_archive.ts';
import type { ShowOptions } from '../show_entry.ts';
import { archiveName, Command, fileName, wholeDays, writtenAddress } from '../usage.ts';
import { form, format, from, fromOne, fromSome, identity, mentions, since, until } from './shared_options.ts';

const archiveList = new Command('list')
  .summary('print a line for each submission')
  .description(
    'print a line for each submission in an archive: when it came, its id, its form, how it begins',
  )
  .addOptions(from(), identity(), form(), since(), until())
  .examples(
    ['relay archive list --from archive --since 2026-11-01', 'what came since the first of November'],
    ['relay archive list --from archive --form contact --identity key.txt', 'sealed ones, with the key'],
  )
  .runs(async (options: ListOptions) => (await import('../list_archive.ts')).listArchive(options));

const archiveShow = new Command('show')
  .argument('<id>', "the submission's id, as relay archive list, the log and the answer have it")
  .summary('print a submission, write its files out')
  .description('print a submission of an archive as JSON, and write its files out')
  .addOptions(from(), identity(), form())
  .option('--files <folder>', 'write its files there, over none that is there already', fileName)
  .examples([
    'relay archive show 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11 --from archive',
    'its document, with where its files are',
  ])
  .runs(async (options: ShowOptions, id: string) =>
    (await import('../show_entry.ts')).showEntry(id, options),
  );

const archiveExport = new Command('export')
  .summary('print submissions as CSV or JSON Lines')
  .description('print the submissions of an archive as a table for spreadsheets, or a JSON document a line')
  .addOptions(fromOne())
  .addOption(
    new Option('--email <address>', 'all from this person, as JSON Lines, kept deliveries included')
      .argParser(writtenAddress)
      .conflicts(['format', 'since', 'until']),
  )
  .addOptions(mentions(), format(), identity(), form(), since(), until())
  .examples(
    ['relay archive export --from archive --form contact > contact.csv', 'to open in a spreadsheet'],
    ['relay archive export --from archive --format jsonl --identity key.txt', 'sealed ones, for programs'],
    ['relay archive export --from archive --email ada@example.org', 'all from one person'],
  )
  .runs(async ({ email, from, ...options }: Omit<ExportOptions, 'from'> & Partial<PersonOptions>) => {
    if (email !== undefined) return (await import('../person.ts')).exportPerson({ ...options, email, from });
    const [archive, ...more] = from ?? [];
    if (archive === undefined || more.length > 0)
      throw new InvalidArgumentError("name one archive with '--from', or a person with '--email'");
    return (await import('../list_archive.ts')).exportArchive({ ...options, from: archive });
  });

const archivePrune = new Command('prune')
  .summary('remove old submissions')
  .description(
    'remove the submissions of days that are over so long, with their files: from an archive, or from those of the config, by its `archive`',
  )
  .option('--from <archive>', "a folder, or s3://BUCKET/PREFIX; without it, the config's", archiveName)
  .option('--older-than <days>', 'with --from: how long they are kept, such as 90d', wholeDays)
  .addOptions(form())
  .option('--dry-run', 'say what would go, and remove nothing')
  .option('--yes', "without --from: also far more than a day's share")
  .examples(
    ['relay archive prune --from archive --older-than 90d --dry-run', 'what would go'],
    ['relay archive prune --from archive --older-than 90d', 'each night, from cron or a timer'],
  )
  .runs(async (options: PruneOptions) => {
    const { from, olderThan, form: only } = options;
    if (from !== undefined && olderThan === undefined)
      throw new InvalidArgumentError("required option '--older-than <days>' not specified");
    if (from === undefined && (olderThan ?? only) !== undefined)
      throw new InvalidArgumentError("required option '--from <archive>' not specified");
    await (await import('../prune_archive.ts')).pruneArchive(options);
  });

const archiveErase = new Command('erase')
  .summary('find and remove all from one person')
  .description(
    'list all that archives and kept deliveries hold from an address, what was turned away included; ask; and remove it',
  )
  .requiredOption('--email <address>', 'the address that the person wrote', writtenAddress)
  .addOptions(fromSome(), form(), identity(), mentions())
  .option('--record <file>', 'notes that this was done (default: FOLDER.erased.jsonl)', fileName)
  .option('--dry-run', 'list them, and remove nothing')
  .option('--yes', 'ask nobody')
  .examples(
    ['relay archive erase --email ada@example.org --from archive --dry-run', 'what would go'],
    ['relay archive erase --email ada@example.org --from archive --yes', 'without a question'],
  )
  .runs(async (options: EraseOptions) => (await import('../person.ts')).erasePerson(options));

export const archive = new Command('archive')
  .description('look submissions up that folder and s3 outputs keep')
  .addCommands(archiveList, archiveShow, archiveExport, archivePrune, archiveErase);
