/** `relay plugin`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { whyUnwritten } from '@form-relay/base/text_file';
import {
  type Command,
  type CommandContext,
  CommandFailed,
  command,
  flag,
  needed,
  ownCommands,
} from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { namesOf } from '@form-relay/plugin-host/claims';
import { bundledRegistry } from '@form-relay/runtimes/inspect';
import { anyText } from '@form-relay/schema/scalars';
import { identifier, nextCommands, type PluginKind, pluginFiles, pluginKinds } from './plugin_files.ts';
import { listPlugins } from './plugin_list.ts';

const others = (kind: PluginKind) => ({ conflicts: pluginKinds.filter((one) => one !== kind) });

const newPlugin = command({
  name: 'new',
  summary: 'write a plug-in to start from',
  description:
    'write a plug-in that works, with its test and a config that uses it, into the folder NAME; overwrite nothing',
  arguments: {
    name: needed(
      'name',
      'the name, which is also the type of the output or field, the key of the feature, the scheme of the store, or the command',
      anyText,
    ),
  },
  options: {
    output: flag('an output: sends submissions somewhere', others('output')),
    field: flag('a type of field', others('field')),
    feature: flag('a check, or anything else that a form can have', others('feature')),
    store: flag('a store, where failed deliveries wait', others('store')),
    command: flag('a command of relay', others('command')),
    typescript: flag('written in TypeScript'),
    package: flag('with a package.json, to publish it on npm'),
  },
  examples: [
    ['relay plugin new airtable --output', 'write an output into the folder airtable'],
    ['relay plugin new plate --field --typescript --package', 'write a field in TypeScript, to publish it'],
  ],
  run: async ({ name, ...options }, context) => {
    const kind = pluginKinds.find((one) => options[one]);
    if (kind === undefined)
      throw context.misuse(
        `choose ${pluginKinds
          .map((one) => `'--${one}'`)
          .join(', ')
          .replace(/, (?=[^,]*$)/, ' or ')}`,
      );
    await refuseName(name, kind);
    await writePlugin(name, pluginFiles(name, kind, options));
    context.print(`${written(name, pluginFiles(name, kind, options))}

${nextSteps(name, options, context)}
docs/plugins.md explains it.
`);
  },
});

const listed = command({
  name: 'list',
  summary: 'list the plug-ins that are loaded, and those that the relay brings',
  options: { json: flag('as JSON') },
  examples: [['relay plugin list', 'list the plug-ins of webform.yaml']],
  run: ({ json }, context) => listPlugins(context, json === true),
});

const pluginCommand: Command = {
  name: 'plugin',
  summary: 'add what the relay lacks',
  commands: [newPlugin, listed],
};

export const plugin: Plugin = { name: 'plugin', commands: [pluginCommand] };

/** Throws a `CommandFailed` if a plug-in of this kind cannot have the name. */
async function refuseName(name: string, kind: PluginKind): Promise<void> {
  if (!/^[a-z][a-z\d]*([_-][a-z\d]+)*$/.test(name))
    throw new CommandFailed(
      `${JSON.stringify(name)}: a name of lower-case letters, digits, - and _ is expected`,
    );
  const ofCommands = ownCommands.map((one) => `command ${one}`);
  const { plugins } = await bundledRegistry();
  const taken = new Set([...ofCommands, ...plugins.flatMap(namesOf)]);
  const schemes = plugins.flatMap(({ stores = [] }) => stores.flatMap((one) => one.schemes));
  if (kind === 'store' && (name.includes('_') || schemes.includes(name)))
    throw new CommandFailed(`"${name}" cannot be the scheme of a store; choose another name`);
  const places = {
    output: [`outputType ${name}`],
    field: [`fieldType ${name}`],
    feature: [`feature ${identifier(name)}`, `spam ${identifier(name)}`],
    store: [],
    command: [`command ${name}`],
  };
  if ([`plugin ${name}`, ...places[kind]].some((one) => taken.has(one)))
    throw new CommandFailed(`the relay has "${name}" already; choose another name`);
}

async function writePlugin(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [file, text] of files) {
    const path = join(folder, file);
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(path, text, { flag: 'wx' });
    } catch (error) {
      throw new CommandFailed(`${path}: ${whyUnwritten(error)}`);
    }
  }
}

const written = (folder: string, files: ReadonlyMap<string, string>) =>
  `Wrote into ${folder}: ${[...files.keys()].join(', ')}.`;

const nextSteps = (
  folder: string,
  options: Parameters<typeof nextCommands>[0],
  { calledAs }: CommandContext,
) =>
  [[`cd ${folder}`, ''], ...nextCommands(options, calledAs)]
    .map(([line = '', says]) => (says ? `  ${line.padEnd(28)}${says}\n` : `  ${line}\n`))
    .join('');
