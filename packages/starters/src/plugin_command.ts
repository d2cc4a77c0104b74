/** `relay plugin`. */
import { writeFile } from 'node:fs/promises';
import { whyUnwritten } from '@form-relay/base/text_file';
import {
  anyText,
  type Command,
  type CommandContext,
  CommandFailed,
  command,
  flag,
  needed,
} from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { namesOf } from '@form-relay/plugin-host/claims';
import { bundledRegistry } from '@form-relay/runtimes/inspect';
import { pluginStarters } from './plugin_starters.ts';

const kinds = ['output', 'field', 'feature'] as const;

const newPlugin = command({
  name: 'new',
  summary: 'write a plug-in to start from',
  description:
    'write a plug-in that works, NAME.mjs, and its test, NAME.test.mjs, into this folder; overwrite nothing',
  arguments: {
    name: needed(
      'name',
      'its name, which is also the type of the output or the field, or the key of the feature',
      anyText,
    ),
  },
  options: {
    output: flag('an output: sends submissions somewhere', { conflicts: ['field', 'feature'] }),
    field: flag('a type of field', { conflicts: ['feature'] }),
    feature: flag('a check, or anything else that a form can have'),
  },
  examples: [['relay plugin new airtable --output', 'write airtable.mjs and airtable.test.mjs']],
  run: async ({ name, ...options }, context) => {
    const chosen = kinds.find((kind) => options[kind]);
    if (chosen === undefined) throw context.misuse("choose '--output', '--field' or '--feature'");
    await writePlugin(name, chosen, context);
  },
});

const pluginCommand: Command = { name: 'plugin', summary: 'add what the relay lacks', commands: [newPlugin] };

export const plugin: Plugin = { name: 'plugin', commands: [pluginCommand] };

const use = {
  output: (name: string) =>
    `outputs: [{type: ${name}, url: "https://api.example.com", token: '{{ env "API_TOKEN" }}', mapping: "*"}]`,
  field: (name: string) => `fields: [{name: …, type: ${name}}]`,
  feature: (name: string) => `spam: {${name}: […]}`,
};

/** Writes a plug-in of this name and its test. Throws a `CommandFailed` if one of them is there already. */
async function writePlugin(
  name: string,
  kind: keyof typeof pluginStarters,
  { calledAs, print }: CommandContext,
): Promise<void> {
  if (!/^[a-z][a-z\d_]*$/.test(name))
    throw new CommandFailed(
      `${JSON.stringify(name)}: a name of lower-case letters, digits and _ is expected`,
    );
  const taken = new Set((await bundledRegistry()).plugins.flatMap(namesOf));
  const places = { output: 'outputType', field: 'fieldType', feature: 'spam' };
  if ([`plugin ${name}`, `feature ${name}`, `${places[kind]} ${name}`].some((one) => taken.has(one)))
    throw new CommandFailed(`the relay has "${name}" already; choose another name`);
  const { code, test } = pluginStarters[kind];
  for (const [path, text] of [
    [`${name}.mjs`, code],
    [`${name}.test.mjs`, test],
  ] as const) {
    await writeFile(path, text.replaceAll('my_plugin', name), { flag: 'wx' }).catch((error) => {
      throw new CommandFailed(`${path}: ${whyUnwritten(error)}`);
    });
  }
  print(`Wrote ${name}.mjs and ${name}.test.mjs.

To use it, write into a config beside it:
  plugins: [./${name}.mjs]
  ${use[kind](name)}

Then:
  ${calledAs} config validate    is the config right?
  node --test              does it keep what all of its kind promise? (with the package form-relay installed)

docs/plugins.md explains it.
`);
}
