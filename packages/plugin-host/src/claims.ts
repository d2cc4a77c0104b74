import { PluginMistake } from '@form-relay/base/client_error';
import { ownCommands } from '@form-relay/core/command';
import { commonFieldKeys } from '@form-relay/core/fields/field';
import { isOwn } from '@form-relay/core/internal';
import { commonOutputKeys } from '@form-relay/core/outputs/output';
import type { Plugin } from '@form-relay/core/plugin';

/** The first word of a claimed name (`BundledPlugin.owns`), in words for the owner. */
const claims: Readonly<Record<string, string>> = {
  plugin: 'name',
  feature: 'feature',
  route: 'route',
  outputType: 'output type',
  fieldType: 'field type',
  field: 'key of fields',
  option: 'key of options',
  output: 'key of outputs',
  form: 'key of forms',
  spam: 'key of spam',
  signal: 'signal',
  top: 'key at the top',
  command: 'command',
  store: 'scheme of stores',
  script: 'script of pages',
};

type Extensions = readonly { readonly keys: object; readonly types?: readonly string[] }[];

/** Names such as `output cc smtp`. `output when *` is a key of all types. */
const keysOf = (place: string, extensions: Extensions): readonly string[] =>
  extensions.flatMap(({ keys, types = ['*'] }) =>
    Object.keys(keys).flatMap((key) => types.map((type) => `${place} ${key} ${type}`)),
  );

const optionKeysOf = ({ fieldExtensions = [] }: Plugin): readonly string[] =>
  fieldExtensions.flatMap(({ optionKeys = {} }) => Object.keys(optionKeys).map((key) => `option ${key}`));

/** The names that a plug-in claims, such as `outputType slack`. */
export function namesOf(plugin: Plugin): readonly string[] {
  const { name, outputs = [], fields = [], features = [], signals = [], commands = [] } = plugin;
  // Only the package `stores` knows the type of `stores`.
  const stores = (Reflect.get(plugin, 'stores') ?? []) as readonly { readonly schemes: readonly string[] }[];
  const keys = features.flatMap(({ keys = {} }) => [
    ...Object.keys(keys.form ?? {}).map((key) => `form ${key}`),
    ...Object.keys({ ...keys.spam, ...keys.sharedSpam }).map((key) => `spam ${key}`),
    ...Object.keys(keys.top ?? {}).map((key) => `top ${key}`),
  ]);
  return [
    `plugin ${name}`,
    ...features.map((one) => `feature ${one.name}`),
    ...signals.map((one) => `signal ${one.name}`),
    ...features.flatMap(({ routes = [] }) => routes.map((one) => `route ${one.name}`)),
    ...outputs.map(({ type }) => `outputType ${type}`),
    ...fields.map(({ type }) => `fieldType ${type}`),
    ...keysOf('field', plugin.fieldExtensions ?? []),
    ...optionKeysOf(plugin),
    ...keysOf('output', plugin.outputExtensions ?? []),
    ...keys,
    ...Object.keys(plugin.scripts ?? {}).map((one) => `script ${one}`),
    ...stores.flatMap(({ schemes }) => schemes.map((scheme) => `store ${scheme}`)),
    ...commands.flatMap(({ name, alias }) => [name, alias].filter(Boolean).map((one) => `command ${one}`)),
  ];
}

/** Names of the relay's core, which plug-ins cannot claim. */
const reserved = [
  ...keysOf('field', [{ keys: { ...commonFieldKeys, type: true } }]),
  ...keysOf('output', [{ keys: { ...commonOutputKeys, type: true } }]),
  ...['option value', 'option label'],
  ...'fields outputs spam title confirmation submit_label'.split(' ').map((key) => `form ${key}`),
  ...'cache_ttl plugins forms spam'.split(' ').map((key) => `top ${key}`),
  ...['route form', 'route submit'],
  ...[...ownCommands, 'keep'].map((name) => `command ${name}`),
];

/** The names that these plug-ins have, and those that the bundled plug-ins would claim once loaded. */
export function takenBy(
  plugins: readonly Plugin[],
  bundled: readonly { readonly name: string; readonly owns: readonly string[] }[],
): Taken {
  const names = [...plugins.flatMap(namesOf), ...reserved];
  const ofBundled = bundled.flatMap(({ name: part, owns }) =>
    [`plugin ${part}`, ...owns.flatMap(eachType)].map((name) => [name, `"${part}" of the relay`] as const),
  );
  return new Map([...names.map((name) => [name, 'the relay'] as const), ...ofBundled]);
}

/** Splits `output cc smtp email`, a key of two types, into one name per type. */
function eachType(owned: string): readonly string[] {
  const [place = '', key = '', ...types] = owned.split(' ');
  if (place !== 'field' && place !== 'output') return [owned];
  return keysOf(place, [{ keys: { [key]: true }, types: types.length > 0 ? types : ['*'] }]);
}

/** Names, each with its owner. */
type Taken = ReadonlyMap<string, string>;

function ownerOf(name: string, taken: Taken): string | undefined {
  const [place, key] = name.split(' ');
  const ofAll = `${place} ${key} *`;
  const owner = taken.get(name) ?? taken.get(ofAll);
  if (owner !== undefined || name !== ofAll) return owner;
  return [...taken].find(([one]) => one.startsWith(`${place} ${key} `))?.[1];
}

/** Throws if a plug-in claims a name that is taken, or claims one twice. */
export function refuseTaken(plugin: Plugin, taken: Taken): void {
  const own = new Set<string>();
  for (const name of namesOf(plugin)) {
    const owner = ownerOf(name, taken);
    const [place = '', key] = name.split(' ');
    if (own.has(name)) throw new PluginMistake(`"${plugin.name}" adds the ${claims[place]} "${key}" twice`);
    own.add(name);
    if (owner !== undefined)
      throw new PluginMistake(
        `"${plugin.name}" adds the ${claims[place]} "${key}", which ${owner} has; choose another name`,
      );
  }
}

/** Checks all plug-ins but the relay's own, which may be bundled and would clash with themselves. */
export function refuseEachTaken(plugins: readonly Plugin[], taken: Taken): void {
  for (const plugin of plugins) if (!isOwn(plugin)) refuseTaken(plugin, taken);
}

/** Throws if two of the plug-ins claim the same name. */
export function refuseClashes(plugins: readonly Plugin[]): void {
  const taken = new Map<string, string>();
  for (const plugin of plugins) {
    refuseTaken(plugin, taken);
    for (const name of namesOf(plugin)) taken.set(name, `the plug-in "${plugin.name}"`);
  }
}
