import { Command, Option } from 'commander';
import type { PruneOptions } from '../prune_archive.ts';
import { archiveName, examples, wholeDays } from '../usage.ts';
import { form } from './shared_options.ts';

export const archivePrune = new Command('prune')
  .summary('remove old submissions')
  .description(
    'remove the submissions of days that are over so long, with their files: from an archive, or from those of the config, by its `archive`',
  )
  .addOption(
    new Option('--from <archive>', "a folder, or s3://BUCKET/PREFIX; without it, the config's").argParser(
      archiveName,
    ),
  )
  .addOption(
    new Option('--older-than <days>', 'with --from: how long they are kept, such as 90d').argParser(
      wholeDays,
    ),
  )
  .addOption(form())
  .option('--dry-run', 'say what would go, and remove nothing')
  .option('--yes', "without --from: also far more than a day's share")
  .addHelpText(
    'after',
    examples(
      ['relay archive prune --from archive --older-than 90d --dry-run', 'what would go'],
      ['relay archive prune --from archive --older-than 90d', 'each night, from cron or a timer'],
    ),
  )
  .action(async (_, command: Command) => {
    const options = command.optsWithGlobals<PruneOptions>();
    const { from, olderThan, form: only } = options;
    if (from !== undefined && olderThan === undefined)
      command.error("error: required option '--older-than <days>' not specified");
    if (from === undefined && (olderThan ?? only) !== undefined)
      command.error("error: required option '--from <archive>' not specified");
    await (await import('../prune_archive.ts')).pruneArchive(options);
  });
