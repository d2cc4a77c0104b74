import { Command } from 'commander';
import { examples } from '../usage.ts';

export const formList = new Command('list')
  .description('print all form names, one per line, sorted')
  .addHelpText('after', examples(['relay form list', 'such as contact']))
  .action(async (_, command: Command) => {
    const { loadConfig } = await import('../load_config.ts');
    const { forms } = await loadConfig(command.optsWithGlobals().config);
    for (const name of [...forms.keys()].sort()) process.stdout.write(`${name}\n`);
  });
