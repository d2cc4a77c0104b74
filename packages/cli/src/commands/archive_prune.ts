import { Command, Option } from 'commander';
import type { PruneOptions } from '../prune_archive.ts';
import { examples, wholeDays } from '../usage.ts';
import { form, from } from './shared_options.ts';

export const archivePrune = new Command('prune')
  .summary('remove old submissions from a folder')
  .description(
    'remove the submissions of days that are over so long, with their files, from an archive in a folder',
  )
  .addOption(from())
  .addOption(
    new Option('--older-than <days>', 'how long they are kept, such as 90d')
      .argParser(wholeDays)
      .makeOptionMandatory(),
  )
  .addOption(form())
  .option('--dry-run', 'say what would go, and remove nothing')
  .addHelpText(
    'after',
    examples(
      ['relay archive prune --from archive --older-than 90d --dry-run', 'what would go'],
      ['relay archive prune --from archive --older-than 90d', 'each night, from cron or a timer'],
    ),
  )
  .action(async (options: PruneOptions) => (await import('../prune_archive.ts')).pruneArchive(options));
