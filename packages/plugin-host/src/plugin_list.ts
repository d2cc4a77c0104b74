/** `plugins` of a config: names, or `{use: ./crm.mjs, with: {token: '{{ env "CRM_TOKEN" }}'}}`. */
import { Diagnostics } from '@form-relay/schema/diagnostics';
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

export interface PluginEntry {
  readonly use: string;
  /** As written. */
  readonly with?: unknown;
}

/** Packages of npm, and modules of the owner's by a path, or all in a folder. */
const pluginName = textSchema((name, at) =>
  /^(\.{1,2}\/|\/|@[\w.-]+\/)?[\w.-]+[\w./-]*$/.test(name)
    ? name
    : at.error('expected a package or a ./path'),
);

const withOptions = object(
  {
    use: required('Package, or path of the module.', pluginName),
    with: optional(
      'Options of the plug-in, with `{{ env "NAME" }}` for secrets.',
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

/** The options as written, with the values of the environment. */
export function filledIn(value: unknown, env: Env, at: Diagnostics): unknown {
  if (typeof value === 'string' && value.includes('{{')) return textOf(environmentAlone(value, at), env);
  if (Array.isArray(value)) return value.map((one, index) => filledIn(one, env, at.in(index)));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledIn(one, env, at.in(key))]));
}

const textOf = (template: Template | undefined, env: Env): string =>
  template?.render({ fields: new Map(), formId: '', submittedAt: '', env }) ?? '';

/** The options that a plug-in gets, checked by its `options`. `undefined` after a mistake. */
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
