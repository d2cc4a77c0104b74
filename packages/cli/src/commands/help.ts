import { Command } from 'commander';
import { examples, unknownCommand } from '../usage.ts';

export const help = new Command('help')
  .argument('[command...]', 'such as config validate')
  .description('show help about a command')
  .addHelpText('after', examples(['relay help form html', 'the same as relay form html --help']))
  .action((names: readonly string[], _, { parent }: Command) => {
    const find = (command: Command, name: string) =>
      command.commands.find((one) => one.name() === name) ?? unknownCommand(command, name);
    if (parent) names.reduce(find, parent).help();
  });
