import { Command } from 'commander';
import { examples } from '../usage.ts';

export const configSchema = new Command('schema')
  .summary('print the JSON Schema of the config')
  .description('print the JSON Schema of the config, which editors complete and check it with')
  .addHelpText(
    'after',
    examples(['relay config schema > webform.schema.json', 'the file that a config of relay init names']),
  )
  .action(async () => {
    const { configSchemaText } = await import('../../../config/json_schema.ts');
    process.stdout.write(configSchemaText());
  });
