import { Command } from 'commander';
import type { DeliverOptions } from '../deliver_kept.ts';
import { examples } from '../usage.ts';
import { aside, due, form, identity, ids, olderThan, output, store } from './shared_options.ts';

export const keptDeliver = new Command('deliver')
  .argument('[ids...]', `${ids}; without them, all`)
  .summary('deliver what is kept from here, also what 0.1.0 sealed')
  .description('deliver what is kept from here and now, as the relay would, and say what became of each')
  .addOption(store())
  .addOption(identity())
  .addOption(form())
  .addOption(olderThan())
  .addOption(due())
  .addOption(aside())
  .addOption(output())
  .option('--json', 'print a JSON object a line')
  .addHelpText(
    'after',
    `\nIt needs the config and the environment that the outputs need.\nExit code: 0 if all of it was delivered, 1 if not.\n${examples(
      ['relay kept deliver --identity key.txt', 'what 0.1.0 sealed, on the machine that has the key'],
    )}`,
  )
  .action(async (names: readonly string[], _: DeliverOptions, command: Command) =>
    (await import('../deliver_kept.ts')).deliverHere(names, command.optsWithGlobals()),
  );
