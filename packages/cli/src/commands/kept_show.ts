import { Command } from 'commander';
import type { ShowOptions } from '../show_kept.ts';
import { examples, fileName } from '../usage.ts';
import { identity, ids, store } from './shared_options.ts';

export const keptShow = new Command('show')
  .argument('<ids...>', ids)
  .summary('print all of a delivery')
  .description('print all that is known of a delivery as JSON, write its files out')
  .addOption(store())
  .option('--show', 'also what the visitor wrote')
  .addOption(identity())
  .option('--files <folder>', 'write its files there, over none that is there already', fileName)
  .addHelpText(
    'after',
    examples(['relay kept show 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11 --show', 'with what the visitor wrote']),
  )
  .action(async (names: readonly string[], _, command: Command) =>
    (await import('../show_kept.ts')).showKept(names, command.optsWithGlobals<ShowOptions>()),
  );
