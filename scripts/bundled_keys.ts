import type { FeatureKeys, Plugin } from '../packages/core/src/plugin.ts';
import { units } from '../packages/runtimes/src/bundled.ts';
import type {} from '../packages/stores/src/store.ts';

/** Generates packages/runtimes/src/bundled_keys.json: the keys and types of each bundled plug-in, as in `BundledPlugin`. */
export async function bundledKeys(): Promise<string> {
  const all = Object.entries(units).map(async ([name, load]) => {
    const { plugin, uses } = await load();
    const one = typeof plugin === 'function' ? plugin() : plugin;
    const secrets = Object.values(one.variables ?? {}).flatMap((each) => (each.isSecret ? each.name : []));
    const takesEvents = one.onEvent && true;
    return [name, { owns: ownedBy(one), uses, ...(secrets.length > 0 && { secrets }), takesEvents }] as const;
  });
  return `${JSON.stringify(Object.fromEntries(await Promise.all(all)), null, 2)}\n`;
}

function ownedBy(plugin: Plugin): readonly string[] {
  const { fields = [], outputs = [], features = [], signals = [], stores = [] } = plugin;
  const keysAt = (at: keyof FeatureKeys, ...places: readonly string[]) =>
    features.flatMap(({ keys }) =>
      Object.keys(keys?.[at] ?? {}).flatMap((key) => places.map((place) => `${place} ${key}`)),
    );
  return [
    ...fields.map(({ type }) => `fieldType ${type}`),
    ...outputs.map(({ type }) => `outputType ${type}`),
    ...keysOf('field', plugin.fieldExtensions),
    ...(plugin.fieldExtensions ?? []).flatMap(({ optionKeys = {} }) =>
      Object.keys(optionKeys).map((key) => `option ${key}`),
    ),
    ...keysOf('output', plugin.outputExtensions),
    ...keysAt('form', 'form'),
    ...keysAt('spam', 'spam'),
    ...keysAt('sharedSpam', 'spam', 'topSpam'),
    ...keysAt('top', 'top'),
    ...features.map(({ name }) => `feature ${name}`),
    ...signals.map(({ name }) => `signal ${name}`),
    ...features.flatMap(({ routes = [] }) => routes.map(({ name }) => `route ${name}`)),
    ...Object.keys(plugin.scripts ?? {}).map((name) => `script ${name}`),
    ...stores.flatMap(({ schemes }) => schemes.filter(Boolean).map((scheme) => `store ${scheme}`)),
  ];
}

/** For example `output cc smtp email`. */
const keysOf = (
  place: 'field' | 'output',
  extensions: readonly { readonly keys: object; readonly types?: readonly string[] }[] = [],
): readonly string[] =>
  extensions.flatMap(({ keys, types = [] }) =>
    Object.keys(keys).map((key) => [place, key, ...types].join(' ')),
  );
