import { Command } from 'commander';
import { examples } from '../usage.ts';

export const configSchema = new Command('schema')
  .summary('print the JSON Schema of the config')
  .description('print the JSON Schema of the config, for editors that complete and check it')
  .addHelpText(
    'after',
    examples(['relay config schema > webform.schema.json', 'the file that a config from relay init names']),
  )
  .action(async () => {
    const { configSchemaText } = await import('@form-relay/runtimes/inspect');
    process.stdout.write(await configSchemaText());
  });
