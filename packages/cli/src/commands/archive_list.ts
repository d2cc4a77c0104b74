import { Command } from 'commander';
import type { ListOptions } from '../list_archive.ts';
import { examples } from '../usage.ts';
import { form, from, identity, since, until } from './shared_options.ts';

export const archiveList = new Command('list')
  .summary('print a line for each submission')
  .description(
    'print a line for each submission in an archive: when it came, its id, its form, how it begins',
  )
  .addOption(from())
  .addOption(identity())
  .addOption(form())
  .addOption(since())
  .addOption(until())
  .addHelpText(
    'after',
    examples(
      ['relay archive list --from archive --since 2026-11-01', 'what came since the first of November'],
      ['relay archive list --from archive --form contact --identity key.txt', 'sealed ones, with the key'],
    ),
  )
  .action(async (options: ListOptions) => (await import('../list_archive.ts')).listArchive(options));
