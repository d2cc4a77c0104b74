import { Command, Option } from 'commander';
import { examples } from '../usage.ts';

export const pluginNew = new Command('new')
  .argument(
    '<name>',
    'its name, which is also the type of the output or the field, or the key of the feature',
  )
  .summary('write a plug-in to start from')
  .description(
    'write a plug-in that works, NAME.mjs, and its test, NAME.test.mjs, into this folder; overwrite nothing',
  )
  .addOption(new Option('--output', 'an output: sends submissions somewhere').conflicts(['field', 'feature']))
  .addOption(new Option('--field', 'a type of field').conflicts(['feature']))
  .addOption(new Option('--feature', 'a check, or anything else that a form can have'))
  .addHelpText(
    'after',
    examples(['relay plugin new airtable --output', 'write airtable.mjs and airtable.test.mjs']),
  )
  .action(async (name: string, kind: Readonly<Record<string, true>>, command: Command) => {
    const [chosen] = Object.keys(kind);
    if (chosen === undefined) command.error("error: choose '--output', '--field' or '--feature'");
    return (await import('../write_plugin.ts')).writePlugin(name, chosen as 'output' | 'field' | 'feature');
  });
