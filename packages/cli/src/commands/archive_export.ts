import { Command } from 'commander';
import type { ExportOptions } from '../export_archive.ts';
import type { PersonOptions } from '../open_person.ts';
import { examples, writtenAddress } from '../usage.ts';
import { form, format, fromOne, identity, mentions, since, until } from './shared_options.ts';

export const archiveExport = new Command('export')
  .summary('print submissions as CSV or JSON Lines')
  .description('print the submissions of an archive as a table for spreadsheets, or a JSON document a line')
  .addOption(fromOne())
  .option(
    '--email <address>',
    'all from this person, as JSON Lines, kept deliveries included',
    writtenAddress,
  )
  .addOption(mentions())
  .addOption(format())
  .addOption(identity())
  .addOption(form())
  .addOption(since())
  .addOption(until())
  .addHelpText(
    'after',
    examples(
      ['relay archive export --from archive --form contact > contact.csv', 'to open in a spreadsheet'],
      ['relay archive export --from archive --format jsonl --identity key.txt', 'sealed ones, for programs'],
      ['relay archive export --from archive --email ada@example.org', 'all from one person'],
    ),
  )
  .action(async (options: Asked, command: Command) => {
    if (options.email !== undefined) {
      const { since, until } = options;
      if (since !== undefined || until !== undefined || command.getOptionValueSource('format') === 'cli')
        command.error(
          "error: '--email' prints JSON Lines of all times; leave '--format', '--since' and '--until' out",
        );
      return (await import('../export_person.ts')).exportPerson(command.optsWithGlobals<PersonOptions>());
    }
    const [from, ...more] = options.from ?? [];
    if (from === undefined || more.length > 0)
      command.error("error: name one archive with '--from', or a person with '--email'");
    return (await import('../export_archive.ts')).exportArchive({ ...options, from });
  });

type Asked = Omit<ExportOptions, 'from'> & Partial<Pick<PersonOptions, 'email' | 'from'>>;
