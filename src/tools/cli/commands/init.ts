import { Command } from 'commander';
import { examples, fileName } from '../usage.ts';

export const init = new Command('init')
  .argument('[file]', 'the config to write (default: that of --config)', fileName)
  .summary('write a first config')
  .description('write a first config, with comments, and the schema for editors; overwrite nothing')
  .addHelpText(
    'after',
    examples(
      ['relay init', 'write webform.yaml and webform.schema.json'],
      ['relay init forms.yaml', 'under another name'],
    ),
  )
  .action(async (file: string | undefined, _, command: Command) =>
    (await import('../write_first_config.ts')).writeFirstConfig(file, command.optsWithGlobals()),
  );
