import { Command } from 'commander';
import { examples } from '../usage.ts';

export const configSchema = new Command('schema')
  .summary('print the JSON Schema of the config')
  .description(
    'print the JSON Schema of the config, for editors that complete and check it; with --config, also what its plug-ins add',
  )
  .addHelpText(
    'after',
    examples(['relay config schema > webform.schema.json', 'the file that a config from relay init names']),
  )
  .action(async (_, command: Command) => {
    const { config } = command.optsWithGlobals();
    const { configSchemaText, othersIn } = await import('@form-relay/runtimes/inspect');
    const others = config && (await othersIn(await (await import('../load_config.ts')).loadConfig(config)));
    process.stdout.write(await configSchemaText(others));
  });
