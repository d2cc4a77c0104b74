import { Command } from 'commander';
import type { StoreOptions } from '../open_kept.ts';
import { examples } from '../usage.ts';
import { store } from './shared_options.ts';

export const keepSetup = new Command('setup')
  .summary('make what the store needs')
  .description('make what the store needs, such as the stream of nats://…, and say what was done')
  .addOption(store())
  .addHelpText('after', examples(['relay keep setup', 'before the first relay starts, and after changes']))
  .action(async (_, command: Command) =>
    (await import('../set_up_keep.ts')).setUpKeep(command.optsWithGlobals<StoreOptions>()),
  );
