import { InvalidArgumentError, Option } from 'commander';
import { Command, type GlobalOptions } from '../usage.ts';

const kinds = ['output', 'field', 'feature'] as const;
type Kinds = GlobalOptions & { readonly [Kind in (typeof kinds)[number]]?: true };

const pluginNew = new Command('new')
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
  .examples(['relay plugin new airtable --output', 'write airtable.mjs and airtable.test.mjs'])
  .runs(async (options: Kinds, name: string) => {
    const chosen = kinds.find((kind) => options[kind]);
    if (chosen === undefined) throw new InvalidArgumentError("choose '--output', '--field' or '--feature'");
    return (await import('../write_plugin.ts')).writePlugin(name, chosen);
  });

export const plugin = new Command('plugin').description('add what the relay lacks').addCommands(pluginNew);
