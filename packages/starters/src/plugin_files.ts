/** The files that `relay plugin new` writes. */
import { pluginStarters } from './plugin_starters.ts';

export type PluginKind = keyof typeof pluginStarters;

export const pluginKinds = Object.keys(pluginStarters) as readonly PluginKind[];

/** Keys of the form in the sample config, by kind. */
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

export interface StarterOptions {
  readonly typescript?: boolean | undefined;
  /** With what npm needs to publish it. */
  readonly package?: boolean | undefined;
}

/** The files of a plug-in that works, by their names in its folder. @param name Of lower-case letters, digits, `-` and `_`. */
export function pluginFiles(
  name: string,
  kind: PluginKind,
  options: StarterOptions,
): ReadonlyMap<string, string> {
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

/** A key of a config, or a code of a message. */
export const identifier = (name: string): string => name.replaceAll('-', '_');

/** TypeScript needs nothing but the type of the function that makes the plug-in: it tells all others. */
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
    // A store is more than its interface infers, and uses Node's own modules.
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

/** The commands to go on with, each with what it is for. */
export const nextCommands = (
  { typescript }: StarterOptions,
  calledAs: string,
): readonly (readonly [command: string, says: string])[] => [
  typescript
    ? ['npm test', 'build it, and check what all of its kind promise']
    : ['node --test', 'check what all of its kind promise'],
  [`${calledAs} config validate`, 'check the config that uses it'],
  [`${calledAs} plugin list`, 'see that it is loaded'],
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
