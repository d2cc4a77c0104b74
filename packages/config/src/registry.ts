/** What all plug-ins of a relay add, put together once, and the schema of configs with their keys. */
import type { Registry, WrittenConfig, WrittenForm } from '@form-relay/core/config';
import { fieldSchemas } from '@form-relay/core/fields/compile';
import type { Field, FieldType } from '@form-relay/core/fields/field';
import { entrySchema } from '@form-relay/core/fields/form_fields';
import { en, type Messages, plainLocale } from '@form-relay/core/messages/message';
import { type Declared, type OutputType, outputSchemas } from '@form-relay/core/outputs/output';
import type { Feature, Plugin, Registered, Route } from '@form-relay/core/plugin';
import {
  array,
  duration,
  hasControls,
  type JsonSchema,
  jsonSchemaOf,
  localizedText,
  object,
  optional,
  optionalBlock,
  type Properties,
  type Property,
  record,
  required,
  type Schema,
  schema,
  text,
  withDefault,
} from '@form-relay/schema/kinds';

/** Throws if two plug-ins have something of the same name. */
export function registryOf(plugins: readonly Plugin[]): Registry {
  const own = plugins.map(({ name }) => name);
  const twice = own.find((name, index) => own.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two plug-ins have the name "${twice}"`);
  const features = inOrder(plugins.flatMap((plugin) => plugin.features ?? []));
  const fields = claimed<FieldType>('field type');
  const outputs = claimed<OutputType>('output type');
  const routes = claimed<Route>('route');
  const formKeys = claimed<Property<unknown>>('key of forms');
  const spamKeys = claimed<Property<unknown>>('key of spam');
  const topKeys = claimed<Property<unknown>>('key at the top');
  const sharedSpamKeys = claimed<Property<unknown>>('key of spam at the top');
  const names = claimed<Feature>('feature');
  for (const plugin of plugins) {
    for (const one of plugin.features ?? []) names.add({ [one.name]: one }, plugin);
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
export type ByFeature<All> = Map<string, unknown> & Registered<All>;
export const byFeature = <All>() => new Map<string, unknown>() as unknown as ByFeature<All>;

/** A config's schema as JSON Schema draft-07, which editors support best (yaml-language-server and others). */
export const configJsonSchema = ({ config, field, output }: Registry): JsonSchema => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...jsonSchemaOf(config),
  title: 'Form Relay config',
  description: 'Forms, their fields, and the outputs that get what visitors submit.',
  // Fields may consist of fields, and alerts have outputs, too.
  definitions: { field: jsonSchemaOf(field), output: jsonSchemaOf(output) },
});

const formSchema = (
  field: Schema<Field>,
  output: Schema<Declared>,
  keys: { readonly form: Properties; readonly spam: Properties },
): Schema<WrittenForm> =>
  object(
    {
      fields: required(
        'The fields that visitors fill in, with notes between them.',
        array(entrySchema(field)),
      ),
      outputs: required(
        'Where submissions go. All are attempted on every submission.',
        array(outputItem(output), { least: 1 }),
      ),
      spam: optionalBlock(
        'What keeps bots and advertisements out (docs/spam.md).',
        object(keys.spam, '{honeypot: website}'),
      ),
      title: optional('A heading above the rendered form.', localizedText()),
      confirmation: optional(
        'What the visitor reads after a successful submission. `[words](https://…)` becomes a link. To show the brackets themselves, write `\\[words](https://…)`, or `\\\\[words](https://…)` in double quotes. Default: `Thank you.`',
        localizedText(),
      ),
      submit_label: optional(
        'The words on the button of the rendered form. Default: `Send`.',
        localizedText(),
      ),
      ...keys.form,
    },
    '{fields: […], outputs: […]}',
  );

const outputItem = (output: Schema<Declared>): Schema<Declared> =>
  schema(
    () => ({ $ref: '#/definitions/output' }),
    (value, at) => output(value, at),
    output,
  );

const configSchema = (
  form: Schema<WrittenForm>,
  sharedSpam: Properties,
  top: Properties,
): Schema<WrittenConfig> =>
  object({
    cache_ttl: withDefault(
      '30s',
      'How long the parsed config is used before it is fetched again.',
      duration(),
    ),
    plugins: optional(
      'Packages of npm, and modules of your own by their paths from where the config is, that add fields, outputs and features (docs/plugins.md). Only in a config that is a file.',
      array(text()),
    ),
    forms: required(
      'The forms, by name.',
      record(form, formNameProblem, '{contact: {fields: […], outputs: […]}}'),
    ),
    ...(Object.keys(sharedSpam).length > 0 && {
      spam: optionalBlock(
        'For all forms, where they do not say it themselves.',
        object(sharedSpam, '{doubt: tag}'),
      ),
    }),
    ...top,
  });

function formNameProblem(id: string): string | undefined {
  if (id === '' || hasControls(id)) return 'a form name is plain text of at least one character';
  return /^\.{1,2}$/.test(id) ? 'this name cannot stand in a URL' : undefined;
}
