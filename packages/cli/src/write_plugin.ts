import { writeFile } from 'node:fs/promises';
import { namesOf } from '@form-relay/config/claims';
import { bundledRegistry } from '@form-relay/runtimes/inspect';
import { pluginStarters } from '@form-relay/starters/plugin_starters';
import { calledAs } from './called_as.ts';
import { CommandFailed } from './command_failed.ts';
import { whyUnwritten } from './why_unwritten.ts';

const use = {
  output: (name: string) =>
    `outputs: [{type: ${name}, url: "https://api.example.com", token: '{{ env "API_TOKEN" }}', mapping: "*"}]`,
  field: (name: string) => `fields: [{name: …, type: ${name}}]`,
  feature: (name: string) => `spam: {${name}: […]}`,
};

/** Writes a plug-in of this name and its test. Throws a `CommandFailed` if one of them is there already. */
export async function writePlugin(name: string, kind: keyof typeof pluginStarters): Promise<void> {
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
  process.stdout.write(`Wrote ${name}.mjs and ${name}.test.mjs.

To use it, write into a config beside it:
  plugins: [./${name}.mjs]
  ${use[kind](name)}

Then:
  ${calledAs} config validate    is the config right?
  node --test              does it keep what all of its kind promise? (with the package form-relay installed)

docs/plugins.md explains it.
`);
}
