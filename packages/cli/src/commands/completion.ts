import { Argument, Command } from 'commander';
import type { Shell } from '../complete.ts';
import { examples } from '../usage.ts';

export const completion = new Command('completion')
  .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
  .summary('print a script for bash, zsh or fish')
  .description('print a script that lets the shell complete commands, options, forms and files')
  .addHelpText(
    'after',
    `
To have it in every new shell (in zsh, below the line with compinit):
  bash   echo 'source <(relay completion bash)' >> ~/.bashrc
  zsh    echo 'source <(relay completion zsh)' >> ~/.zshrc
  fish   relay completion fish > ~/.config/fish/completions/relay.fish
${examples(['source <(relay completion bash)', 'to have it in this shell'])}`,
  )
  .action(async (shell: Shell) => {
    const { scripts } = await import('../complete.ts');
    process.stdout.write(scripts[shell]);
  });

/** The scripts call this at the Tab key, with all words between `relay` and the cursor. */
export const completeWords = new Command('__complete')
  .argument('<words...>')
  .action(async (words: readonly string[], _, { parent }: Command) => {
    if (parent) await (await import('../complete.ts')).complete(parent, words);
  });
