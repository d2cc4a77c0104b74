import { fieldSchemas } from '../fields/compile.ts';
import type { Field, FieldType } from '../fields/field.ts';
import { en, type Locale, type Messages, plainLocale } from '../messages/message.ts';
import { type Declared, type OutputType, outputSchemas } from '../outputs/output.ts';
import type { Feature, Plugin, PublicRoute, Registered, Renderer, Route } from '../plugin.ts';
import { type JsonSchema, jsonSchemaOf, type Property, type Schema } from '../schema/schema.ts';
import { configSchema, formSchema, type WrittenConfig, type WrittenForm } from './config_schema.ts';

/** What all plug-ins of a relay add, put together once. */
export interface Registry {
  readonly plugins: readonly Plugin[];
  readonly config: Schema<WrittenConfig>;
  readonly features: readonly Feature[];
  readonly outputTypes: ReadonlyMap<string, OutputType>;
  readonly field: Schema<Field>;
  readonly output: Schema<Declared>;
  /** Reads a form as it is written. */
  readonly form: Schema<WrittenForm>;
  readonly routes: ReadonlyMap<string, Route>;
  readonly publicRoutes: readonly PublicRoute[];
  readonly renderers: readonly Renderer[];
  /** The messages that plug-ins bring in a language, without those of others. */
  readonly messagesIn: (language: string) => Messages;
  readonly english: Locale;
}

/** Throws if two plug-ins have something of the same name. */
export function registryOf(plugins: readonly Plugin[]): Registry {
  const features = inOrder(plugins.flatMap((plugin) => plugin.features ?? []));
  const fields = claimed<FieldType>('field type');
  const outputs = claimed<OutputType>('output type');
  const routes = claimed<Route>('route');
  const formKeys = claimed<Property<unknown>>('key of forms');
  const spamKeys = claimed<Property<unknown>>('key of spam');
  const topKeys = claimed<Property<unknown>>('key at the top');
  const sharedSpamKeys = claimed<Property<unknown>>('key of spam at the top');
  for (const plugin of plugins) {
    for (const one of plugin.fields ?? []) fields.add({ [one.type]: one }, plugin);
    for (const one of plugin.outputs ?? []) outputs.add({ [one.type]: one }, plugin);
    for (const { keys = {}, routes: own = [] } of plugin.features ?? []) {
      formKeys.add(keys.form, plugin);
      spamKeys.add({ ...keys.spam, ...keys.sharedSpam }, plugin);
      sharedSpamKeys.add(keys.sharedSpam, plugin);
      topKeys.add(keys.top, plugin);
      for (const one of own) routes.add({ [one.name]: one }, plugin);
    }
  }
  const field = fieldSchemas(plugins, fields.all);
  const output = outputSchemas(plugins, outputs.all);
  const form = formSchema(field, output, { form: formKeys.all, spam: spamKeys.all });
  return {
    plugins,
    features,
    outputTypes: new Map(Object.entries(outputs.all)),
    field,
    output,
    form,
    routes: new Map(Object.entries(routes.all)),
    publicRoutes: plugins.flatMap(({ publicRoutes = [] }) => publicRoutes),
    ...words(plugins),
    renderers: plugins.flatMap(({ renderers = [] }) => renderers),
    config: configSchema(form, sharedSpamKeys.all, topKeys.all),
  };
}

/** Things by name, each from one plug-in. */
function claimed<T>(what: string) {
  const known = new Map<string, T>();
  return {
    add: (more: Readonly<Record<string, T>> | undefined, { name: by }: Plugin) => {
      for (const [name, one] of Object.entries(more ?? {})) {
        if (known.has(name))
          throw new Error(`the plugin "${by}" adds the ${what} "${name}", which is there already`);
        known.set(name, one);
      }
    },
    get all(): Readonly<Record<string, T>> {
      return Object.fromEntries(known);
    },
  };
}

/** In the order of the plug-ins, but for what `after` and `before` ask for. */
function inOrder(features: readonly Feature[]): readonly Feature[] {
  const placed: Feature[] = [];
  const place = (one: Feature, under: readonly string[]): void => {
    if (placed.includes(one)) return;
    if (under.includes(one.name))
      throw new Error(`the features ${[...under, one.name].join(' and ')} each want to come after the other`);
    for (const other of features)
      if (one.after?.includes(other.name) || other.before?.includes(one.name))
        place(other, [...under, one.name]);
    placed.push(one);
  };
  for (const one of features) place(one, []);
  return placed;
}

/** The messages of all plug-ins. Later ones win, so that a site's own plug-in may reword anything. */
function words(plugins: readonly Plugin[]): Pick<Registry, 'english' | 'messagesIn'> {
  const messagesIn = (tag: string): Messages =>
    Object.assign({}, tag === 'en' && en, ...plugins.map(({ messages }) => messages?.[tag]));
  return { english: plainLocale(messagesIn('en')), messagesIn };
}

/** A value for each feature that has one. Plug-ins declare the types (`Provided`, `Shared`), so only reading by a declared name is typed. */
export class ByFeature<All> implements Registered<All> {
  readonly #values = new Map<PropertyKey, unknown>();

  set(name: string, value: unknown): void {
    if (value !== undefined) this.#values.set(name, value);
  }

  get<N extends keyof All>(name: N): All[N] | undefined {
    return this.#values.get(name) as All[N] | undefined;
  }

  values(): Iterable<unknown> {
    return this.#values.values();
  }

  /** For the feature itself. */
  own(name: string): unknown {
    return this.#values.get(name);
  }
}

/** A config's schema as JSON Schema draft-07, which editors support best (yaml-language-server and others). */
export const configJsonSchema = ({ config, field, output }: Registry): JsonSchema => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...jsonSchemaOf(config),
  title: 'Form Relay config',
  description: 'Forms, their fields, and the outputs that get what visitors submit.',
  // Fields may consist of fields, and alerts have outputs, too.
  definitions: { field: jsonSchemaOf(field), output: jsonSchemaOf(output) },
});
