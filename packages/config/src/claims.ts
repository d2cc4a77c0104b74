import type { Plugin } from '@form-relay/core/plugin';
import type { BundledPlugin } from './bundled_plugin.ts';

/** The word before a name (`BundledPlugin.owns`), and what it means to the owner. */
export const claims: Readonly<Record<string, string>> = {
  plugin: 'name',
  feature: 'feature',
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
