import { Command } from 'commander';
import type { RetryOptions } from '../retry_kept.ts';
import { examples } from '../usage.ts';
import { aside, due, form, ids, olderThan, output, store } from './shared_options.ts';

export const keptRetry = new Command('retry')
  .argument('[ids...]', `${ids}; without them, all that wait for you`)
  .summary('have the relay try again now')
  .description('have the relay try again now, once what kept it from delivering is mended')
  .addOption(store())
  .addOption(form())
  .addOption(olderThan())
  .addOption(due())
  .addOption(aside())
  .option('--all', 'also those that it would try again later')
  .addOption(output())
  .option('--json', 'print how many as JSON')
  .addHelpText(
    'after',
    examples(
      ['relay kept retry', 'all that wait for you'],
      ['relay kept retry --form contact --output 0', 'for outputs[0], in the place of one that is gone'],
    ),
  )
  .action(async (names: readonly string[], _, command: Command) =>
    (await import('../retry_kept.ts')).retryKept(names, command.optsWithGlobals<RetryOptions>()),
  );
