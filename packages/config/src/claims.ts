import type { Plugin } from '@form-relay/core/plugin';
import type { BundledPlugin } from './bundled_plugin.ts';
import { PluginMistake } from './or_mistake.ts';

/** The word before a name (`BundledPlugin.owns`), and what it means to the owner. */
const claims: Readonly<Record<string, string>> = {
  plugin: 'name',
  feature: 'feature',
  route: 'route',
  outputType: 'output type',
  fieldType: 'field type',
  form: 'key of forms',
  spam: 'key of spam',
  top: 'key at the top',
};

/** The names that a plug-in claims for itself, such as `outputType slack`. */
export function namesOf({ name, outputs = [], fields = [], features = [] }: Plugin): readonly string[] {
  const keys = features.flatMap(({ keys = {} }) => [
    ...Object.keys(keys.form ?? {}).map((key) => `form ${key}`),
    ...Object.keys({ ...keys.spam, ...keys.sharedSpam }).map((key) => `spam ${key}`),
    ...Object.keys(keys.top ?? {}).map((key) => `top ${key}`),
  ]);
  return [
    `plugin ${name}`,
    ...features.map((one) => `feature ${one.name}`),
    ...features.flatMap(({ routes = [] }) => routes.map((one) => `route ${one.name}`)),
    ...outputs.map(({ type }) => `outputType ${type}`),
    ...fields.map(({ type }) => `fieldType ${type}`),
    ...keys,
  ];
}

const ofForms = 'fields outputs spam title confirmation submit_label'.split(' ').map((key) => `form ${key}`);
const ofTop = 'cache_ttl plugins forms spam'.split(' ').map((key) => `top ${key}`);

/** The names that these have, and those that bundled ones would have once they are loaded. */
export const takenBy = (plugins: readonly Plugin[], bundled: readonly BundledPlugin[]): ReadonlySet<string> =>
  new Set([
    ...plugins.flatMap(namesOf),
    ...bundled.flatMap(({ name, owns }) => [`plugin ${name}`, ...owns]),
    ...ofForms,
    ...ofTop,
  ]);

/** Throws if a plug-in claims what others have. */
export function refuseTaken(plugin: Plugin, taken: ReadonlySet<string>): void {
  const clash = namesOf(plugin).find((name) => taken.has(name));
  if (clash === undefined) return;
  const [place = '', name] = clash.split(' ');
  throw new PluginMistake(
    `"${plugin.name}" adds the ${claims[place]} "${name}", which the relay has; choose another name`,
  );
}

/** Throws if two of them have something of the same name. */
export function refuseClashes(plugins: readonly Plugin[]): void {
  const taken = new Set<string>();
  for (const plugin of plugins) {
    refuseTaken(plugin, taken);
    for (const name of namesOf(plugin)) taken.add(name);
  }
}
