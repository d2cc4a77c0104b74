/** The key `plugins` of a config: names, or `{use: ./crm.mjs, with: {token: '{{ env "CRM_TOKEN" }}'}}`. */

import { type Diagnostic, Diagnostics, type Path } from '@form-relay/schema/diagnostics';
import {
  array,
  isMap,
  jsonSchemaOf,
  object,
  optional,
  ownTemplate,
  type Properties,
  required,
  type Schema,
  schema,
  textSchema,
} from '@form-relay/schema/kinds';
import { Template } from '@form-relay/schema/template';
import type { Problem } from '@form-relay/yaml/problem';

export interface PluginEntry {
  readonly use: string;
  /** The options as written. */
  readonly with?: unknown;
}

/** An npm package, the path of a module, or the path of a folder with modules. */
const pluginName = textSchema((name, at) =>
  /^(\.{1,2}\/|\/|@[\w.-]+\/)?[\w.-]+[\w./-]*$/.test(name)
    ? name
    : at.error('expected a package or a ./path'),
);

const withOptions = object(
  {
    use: required('Package, or path of the module (`./crm.mjs`).', pluginName),
    with: optional(
      'Options of the plug-in (`{region: eu}`) with `{{ env "NAME" }}` for secrets.',
      schema({ type: 'object' }, (value, at) =>
        isMap(value) ? value : at.found(value, 'expected a map of options'),
      ),
    ),
  },
  '{use: ./crm.mjs, with: {region: eu}}',
);

const pluginEntry: Schema<PluginEntry> = schema(
  () => ({ anyOf: [jsonSchemaOf(pluginName), jsonSchemaOf(withOptions)] }),
  (value, at) => {
    if (isMap(value)) return withOptions(value, at);
    const use = pluginName(value, at);
    return use === undefined ? undefined : { use };
  },
);

export const pluginList: Schema<readonly PluginEntry[]> = array(pluginEntry);

export type Env = (name: string) => string | undefined;

const environmentAlone = ownTemplate('options are read once; the only template is {{ env "NAME" }}');

/** The options as written, with the values of environment variables filled in. */
export function filledIn(value: unknown, env: Env, at: Diagnostics): unknown {
  if (typeof value === 'string' && value.includes('{{')) return textOf(environmentAlone(value, at), env);
  if (Array.isArray(value)) return value.map((one, index) => filledIn(one, env, at.in(index)));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledIn(one, env, at.in(key))]));
}

const textOf = (template: Template | undefined, env: Env): string =>
  template?.render({ fields: new Map(), formId: '', submittedAt: '', env }) ?? '';

/** The options that a plug-in gets, checked against its `options`. `undefined` after a mistake. */
export function readOptions(properties: Properties, written: unknown, env: Env, at: Diagnostics) {
  const filling = Object.entries(properties).map(([key, property]) => {
    const { schema: kind } = property;
    const read: Schema<unknown> = (value, place) => {
      const filled = filledIn(value, env, place);
      const isTemplate = kind(value, new Diagnostics(place.path)) instanceof Template;
      return isTemplate ? filled : kind(filled, place);
    };
    return [key, { ...property, schema: Object.assign(read, { ...kind }) }] as const;
  });
  const before = at.mistakes.length;
  const read: Readonly<Record<string, unknown>> | undefined = object(Object.fromEntries(filling))(
    written,
    at,
  );
  if (!read || at.mistakes.length > before) return undefined;
  const texts = Object.entries(read).map(([key, one]) => [
    key,
    one instanceof Template ? textOf(one, env) : one,
  ]);
  return Object.fromEntries(texts) as Readonly<Record<string, unknown>>;
}

/**
 * As the first entry of RELAY_PLUGINS, loads no plug-in: neither those after it nor those that a config
 * lists. The config loads without the keys that they may add, with a warning.
 */
const none = 'none';

export const loadsNone = ([first]: readonly string[]): boolean => first === none;

/** Whether this leaves out a plug-in. If it does not, unknown keys are mistakes. */
export const leavesOut = (named: readonly string[], listed: unknown): boolean =>
  loadsNone(named) && (named.length > 1 || listed !== undefined);

/** The code of warnings about keys and types that the plug-ins of a config may add. */
export const unloadedCode = 'plugin_not_loaded';

/** Turns the problem into a warning. */
export const unloaded = (problem: Problem): Problem => ({
  ...problem,
  severity: 'warning',
  code: unloadedCode,
  message: `${/^(?:"[^"]*"|[^:;])*/.exec(problem.message)?.[0]}; a plug-in that was not loaded may add it`,
});

const isOfFieldType = ({ path, options }: Diagnostic) =>
  options !== undefined && path.at(-1) === 'type' && path.at(-3) === 'fields';

/** Whether the diagnostic is about an unknown store. */
export const isStore = ({ code }: Diagnostic): boolean => code === 'store_unknown';

/** Whether a plug-in could add the unknown key, field type or store. Unknown output types are only warnings anyway. */
export const mayBeAdded = (mistake: Diagnostic): boolean =>
  mistake.code === 'key_unknown' || isStore(mistake) || isOfFieldType(mistake);

/**
 * Removes these keys and types from the config; a field of an unknown type becomes a text field. Stores stay,
 * because they are not opened.
 */
export function without(config: unknown, added: readonly Diagnostic[]): unknown {
  const copy = structuredClone(config);
  for (const one of added) if (!isStore(one)) remove(copy, one.path);
  return copy;
}

function remove(config: unknown, path: Path): void {
  const map = path
    .slice(0, -1)
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], config);
  if (isMap(map)) delete (map as Record<string, unknown>)[path.at(-1) as string];
}
