import { Command } from 'commander';
import type { ExportOptions } from '../export_kept.ts';
import { examples } from '../usage.ts';
import { aside, due, form, format, identity, olderThan, store } from './shared_options.ts';

export const keptExport = new Command('export')
  .summary('print what visitors sent as CSV or JSON Lines')
  .description(
    'print what visitors sent and outputs owe as a table for spreadsheets, or a JSON object a line',
  )
  .addOption(store())
  .addOption(format())
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
