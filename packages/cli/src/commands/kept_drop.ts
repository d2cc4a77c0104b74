import { Command } from 'commander';
import type { DropOptions } from '../drop_kept.ts';
import { examples } from '../usage.ts';
import { aside, due, form, ids, olderThan, store } from './shared_options.ts';

export const keptDrop = new Command('drop')
  .argument('[ids...]', `${ids}; without them, all of the choice`)
  .summary('forget what is kept')
  .description('forget what is kept, for good')
  .addOption(store())
  .addOption(form())
  .addOption(olderThan())
  .addOption(due())
  .addOption(aside())
  .option('--all', 'whatever is kept')
  .option('--yes', 'do it, where no ids are given; else it only says what would go')
  .addHelpText(
    'after',
    examples(
      ['relay kept drop 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11', 'all that outputs owe of a submission'],
      ['relay kept drop --aside --older-than 90d --yes', 'what has waited long enough'],
    ),
  )
  .action(async (names: readonly string[], options: DropOptions & { all?: boolean }, command: Command) => {
    const { form, olderThan, due, aside, all } = options;
    const choice = [form, olderThan, due, aside, all].filter((one) => one !== undefined);
    if (names.length === 0 && choice.length === 0)
      command.error(
        "error: name ids, or choose with '--form', '--older-than', '--due', '--aside' or '--all'",
      );
    const { dropKept } = await import('../drop_kept.ts');
    return dropKept(names, command.optsWithGlobals<DropOptions>());
  });
