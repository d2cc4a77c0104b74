import { Command, Option } from 'commander';
import type { ExportOptions } from '../export_kept.ts';
import { examples } from '../usage.ts';
import { aside, due, form, identity, olderThan, store } from './kept_options.ts';

export const keptExport = new Command('export')
  .summary('print what visitors sent as CSV or JSON Lines')
  .description(
    'print what visitors sent and outputs owe as a table for spreadsheets, or a JSON object a line',
  )
  .addOption(store())
  .addOption(
    new Option('--format <format>', 'csv: a table; jsonl: all that is known, for programs')
      .choices(['csv', 'jsonl'])
      .default('csv'),
  )
  .addOption(identity())
  .addOption(form())
  .addOption(olderThan())
  .addOption(due())
  .addOption(aside())
  .addHelpText(
    'after',
    examples(['relay kept export --form contact > contact.csv', 'to open in a spreadsheet']),
  )
  .action(async (_, command: Command) =>
    (await import('../export_kept.ts')).exportKept(command.optsWithGlobals<ExportOptions>()),
  );
