import { Command } from 'commander';
import type { ExportOptions } from '../export_archive.ts';
import { examples } from '../usage.ts';
import { form, format, from, identity, since, until } from './shared_options.ts';

export const archiveExport = new Command('export')
  .summary('print submissions as CSV or JSON Lines')
  .description('print the submissions of an archive as a table for spreadsheets, or a JSON document a line')
  .addOption(from())
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
    ),
  )
  .action(async (options: ExportOptions) => (await import('../export_archive.ts')).exportArchive(options));
