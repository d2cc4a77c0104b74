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
import { listPlugins } from './plugin_list.ts';
import { pluginStarters } from './plugin_starters.ts';

const pluginKinds = Object.keys(pluginStarters) as readonly PluginKind[];
const others = (kind: PluginKind) => ({ conflicts: pluginKinds.filter((one) => one !== kind) });

const newPlugin = command({
  name: 'new',
  summary: 'write a plug-in to start from',
  description:
    'write a working plug-in, with a test and a config that uses it, into the folder NAME; never overwrites files',
  arguments: {
    name: needed(
      'name',
      'name of the plug-in, and of its output type, field type, feature key, store scheme or command',
      anyText,
    ),
  },
  options: {
    output: flag('an output, which sends submissions somewhere', others('output')),
    field: flag('a type of field', others('field')),
    feature: flag('a feature: a check, or anything else that a form can have', others('feature')),
    store: flag('a store for failed deliveries', others('store')),
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
  summary: 'list loaded and bundled plug-ins',
  options: { json: flag('as JSON') },
  examples: [['relay plugin list', 'list the plug-ins of webform.yaml']],
  run: ({ json }, context) => listPlugins(context, json === true),
});

const pluginCommand: Command = {
  name: 'plugin',
  summary: 'write and list plug-ins',
  commands: [newPlugin, listed],
};

export const plugin: Plugin = { name: 'plugin', commands: [pluginCommand] };

/** Throws a `CommandFailed` if the name is invalid for a plug-in of this kind. */
async function refuseName(name: string, kind: PluginKind): Promise<void> {
  if (!/^[a-z][a-z\d]*([_-][a-z\d]+)*$/.test(name))
    throw new CommandFailed(
      `${JSON.stringify(name)}: expected a name of lower-case letters, digits, - and _`,
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
    throw new CommandFailed(`the relay already has "${name}"; choose another name`);
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

// The kinds of plug-ins that `relay plugin new` can write.

type PluginKind = keyof typeof pluginStarters;

/** Keys of the form in the example config, by kind. */
const samples: Readonly<Record<PluginKind, (name: string) => string>> = {
  output: (name) => `    fields:
      - {name: name, required: true}
    outputs:
      - {type: ${name}, url: "https://api.example.com/leads", token: '{{ env "API_TOKEN" | default "" }}', mapping: "*"}
`,
  field: (name) => `    fields:
      - {name: it, type: ${name}}
    outputs:
      - {type: http_post, url: "https://api.example.com/", mapping: "*"}
`,
  feature: (name) => `    fields:
      - {name: message, type: textarea}
    spam: {${identifier(name)}: [casino]}
    outputs:
      - {type: http_post, url: "https://api.example.com/", mapping: "*"}
`,
  store: (name) => `    keep: failed
    fields:
      - {name: name, required: true}
    outputs:
      - {type: http_post, url: "https://api.example.com/", mapping: "*"}
keep: {in: "${name}:./kept"}
`,
  command: () => `    fields:
      - {name: name, required: true}
    outputs:
      - {type: http_post, url: "https://api.example.com/", mapping: "*"}
`,
};

interface StarterOptions {
  readonly typescript?: boolean | undefined;
  /** Whether to add what npm needs to publish the plug-in. */
  readonly package?: boolean | undefined;
}

/**
 * The files of a working plug-in, by their names in its folder. @param name May contain lower-case letters,
 * digits, `-` and `_`.
 */
function pluginFiles(name: string, kind: PluginKind, options: StarterOptions): ReadonlyMap<string, string> {
  const named = (text: string) =>
    text.replaceAll('my-plugin', name).replaceAll('my_plugin', identifier(name));
  const { code, test } = pluginStarters[kind];
  const files = new Map([
    options.typescript
      ? ([`${name}.mts`, named(typed(code))] as const)
      : ([`${name}.mjs`, named(code)] as const),
    [`${name}.test.mjs`, named(test)],
    ['webform.yaml', `plugins: [./${name}.mjs]\nforms:\n  contact:\n${samples[kind](name)}`],
    ['README.md', readme(name, kind, options)],
  ]);
  if (options.typescript) files.set('tsconfig.json', json(tsconfigOf(kind)));
  if (options.typescript || options.package) files.set('package.json', json(packageOf(name, kind, options)));
  return files;
}

/** The name as a key of a config, or as a code of a message. */
const identifier = (name: string): string => name.replaceAll('-', '_');

/** TypeScript needs only the type of the function that makes the plug-in, and infers all others. */
const typed = (code: string) =>
  `import type { MakePlugin } from 'form-relay/plugin';\n\n${code
    .replace('export default (kit) =>', 'const makePlugin: MakePlugin = (kit) =>')
    .trimEnd()}\n\nexport default makePlugin;\n`;

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

const tsconfigOf = (kind: PluginKind) => ({
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    // A store has more than TypeScript can infer from its interface, and it uses Node's own modules.
    ...(kind === 'store' ? { noImplicitAny: false, types: ['node'] } : { types: [] }),
  },
  include: ['*.mts'],
});

const packageOf = (name: string, kind: PluginKind, { typescript, package: isPublished }: StarterOptions) => ({
  name: isPublished ? `form-relay-${name}` : name,
  ...(isPublished ? { version: '0.1.0', keywords: ['form-relay-plugin'] } : { private: true }),
  type: 'module',
  ...(isPublished && { exports: `./${name}.mjs`, files: [`${name}.mjs`] }),
  scripts: {
    ...(typescript && { build: 'tsc', pretest: 'tsc', ...(isPublished && { prepack: 'tsc' }) }),
    test: 'node --test',
  },
  peerDependencies: { 'form-relay': '*' },
  ...(typescript && {
    devDependencies: { ...(kind === 'store' && { '@types/node': '*' }), typescript: '*' },
  }),
});

/** The next commands, each with its purpose. */
const nextCommands = (
  { typescript }: StarterOptions,
  calledAs: string,
): readonly (readonly [command: string, says: string])[] => [
  typescript ? ['npm test', 'build and test the plug-in'] : ['node --test', 'test the plug-in'],
  [`${calledAs} config validate`, 'check the config that uses it'],
  [`${calledAs} plugin list`, 'check that it is loaded'],
];

const needs = ({ typescript }: StarterOptions) =>
  typescript ? 'The packages `form-relay` and `typescript` have' : 'The package `form-relay` has';

const readme = (name: string, kind: PluginKind, options: StarterOptions) => `# ${name}

A plug-in of Form Relay: ${code(name, kind)}. \`${name}.${options.typescript ? 'mts' : 'mjs'}\` is the plug-in, \`${name}.test.mjs\` its test, and \`webform.yaml\` a config that uses it.
${needs(options)} to be installed here or in a folder above.

\`\`\`sh
${nextCommands(options, 'npx relay')
  .map(([command, says]) => `${command.padEnd(28)}# ${says}`)
  .join('\n')}
\`\`\`
`;

const code = (name: string, kind: PluginKind) =>
  ({
    output: `outputs of the type \`${name}\``,
    field: `fields of the type \`${name}\``,
    feature: `the key \`${identifier(name)}\` in \`spam\``,
    store: `stores at \`${name}:…\``,
    command: `the command \`relay ${name}\``,
  })[kind];
