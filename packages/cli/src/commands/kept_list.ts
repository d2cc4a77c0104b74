import { Command } from 'commander';
import type { ListOptions } from '../list_kept.ts';
import { examples } from '../usage.ts';
import { aside, due, form, identity, olderThan, store } from './shared_options.ts';

export const keptList = new Command('list')
  .summary('print a line for each delivery that is kept')
  .description(
    'print a line for each delivery that is kept: how old, what owes it, why, when it is tried again',
  )
  .addOption(store())
  .addOption(form())
  .addOption(olderThan())
  .addOption(due())
  .addOption(aside())
  .option('--show', 'also how each begins, which a visitor wrote')
  .addOption(identity())
  .option('--json', 'print a JSON object a line')
  .addHelpText(
    'after',
    examples(
      ['relay kept list', 'what is kept, and how many of which form'],
      ['relay kept list --aside --json', 'what waits for you, for programs'],
    ),
  )
  .action(async (_, command: Command) =>
    (await import('../list_kept.ts')).listKept(command.optsWithGlobals<ListOptions>()),
  );
