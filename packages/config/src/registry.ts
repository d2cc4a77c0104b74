/** Everything that a relay's plug-ins add, combined once, and the config schema with their keys. */
import type { Registry, WrittenConfig, WrittenForm } from '@form-relay/core/config';
import { fieldSchemas } from '@form-relay/core/fields/compile';
import type { Field } from '@form-relay/core/fields/field';
import { entrySchema } from '@form-relay/core/fields/form_fields';
import { assetRoute, scriptsAsAssets } from '@form-relay/core/http/assets';
import { en, type Messages, plainLocale } from '@form-relay/core/messages/message';
import { type Declared, outputSchemas } from '@form-relay/core/outputs/output';
import type { Feature, Plugin } from '@form-relay/core/plugin';
import { refuseClashes } from '@form-relay/plugin-host/claims';
import { pluginList } from '@form-relay/plugin-host/plugin_list';
import { conditionJson } from '@form-relay/schema/condition';
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
  record,
  required,
  type Schema,
  schema,
  withDefault,
} from '@form-relay/schema/kinds';

/** Throws if two plug-ins use the same name. */
export function registryOf(plugins: readonly Plugin[]): Registry {
  refuseClashes(plugins);
  const features = plugins.flatMap((plugin) => plugin.features ?? []);
  const keys = (place: 'form' | 'spam' | 'sharedSpam' | 'top'): Properties =>
    Object.assign({}, ...features.flatMap((one) => [one.keys?.[place], one.keysFrom?.(plugins)[place]]));
  const field = fieldSchemas(plugins);
  const output = outputSchemas(plugins);
  const form = formSchema(field, output, {
    form: keys('form'),
    spam: { ...keys('spam'), ...keys('sharedSpam') },
  });
  return {
    plugins,
    features: inOrder(features),
    outputTypes: new Map(plugins.flatMap(({ outputs = [] }) => outputs.map((one) => [one.type, one]))),
    field,
    output,
    form,
    routes: new Map(features.flatMap(({ routes = [] }) => routes.map((one) => [one.name, one]))),
    publicRoutes: [
      ...plugins.flatMap(({ publicRoutes = [] }) => publicRoutes),
      assetRoute(scriptsAsAssets(Object.assign({}, ...plugins.map(({ scripts }) => scripts)))),
    ],
    ...words(plugins),
    renderers: plugins.flatMap(({ renderers = [] }) => renderers),
    config: configSchema(form, keys('sharedSpam'), keys('top')),
  };
}

/** Keeps the order of the plug-ins, except where `after`, `reads` and `before` require another one. */
function inOrder(features: readonly Feature[]): readonly Feature[] {
  const placed: Feature[] = [];
  const place = (one: Feature, under: readonly string[]): void => {
    if (placed.includes(one)) return;
    if (under.includes(one.name))
      throw new Error(`the features ${[...under, one.name].join(' and ')} must each come after the other`);
    for (const other of features)
      if (
        one.after?.includes(other.name) ||
        one.reads?.includes(other.name) ||
        other.before?.includes(one.name)
      )
        place(other, [...under, one.name]);
    placed.push(one);
  };
  for (const one of features) place(one, []);
  return placed;
}

/** The messages of all plug-ins. Later plug-ins override earlier ones, so that a site's own plug-in can change any text. */
function words(plugins: readonly Plugin[]): Pick<Registry, 'english' | 'messagesIn'> {
  const messagesIn = (tag: string): Messages =>
    Object.assign({}, tag === 'en' && en, ...plugins.map(({ messages }) => messages?.[tag]));
  return { english: plainLocale(messagesIn('en')), messagesIn };
}

/** The value that each feature provides, if any. */
// biome-ignore lint/suspicious/noExplicitAny: plug-ins declare the types of theirs (`Provided`, `Shared`).
export type ByFeature = Map<string, any>;

/** The config's schema as JSON Schema draft-07, which editors support best (yaml-language-server and others). */
export const configJsonSchema = ({ config, field, output }: Registry): JsonSchema => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...jsonSchemaOf(config),
  title: 'Form Relay config',
  description: 'Forms, their fields, and the outputs that receive submissions.',
  // Shared definitions, because fields may contain fields, alerts have outputs, too, and conditions nest.
  definitions: { field: jsonSchemaOf(field), output: jsonSchemaOf(output), condition: conditionJson() },
});

const formSchema = (
  field: Schema<Field>,
  output: Schema<Declared>,
  keys: { readonly form: Properties; readonly spam: Properties },
): Schema<WrittenForm> =>
  object(
    {
      fields: required('The fields, with notes between them.', array(entrySchema(field))),
      outputs: required(
        'Destinations. Each submission goes to every output listed here.',
        array(outputItem(output), { least: 1 }),
      ),
      spam: optionalBlock(
        'Protection against spam (docs/spam.md).',
        object(keys.spam, '{honeypot: website}'),
      ),
      title: optional('Heading above the form: `Contact us`.', localizedText()),
      confirmation: optional(
        'Text after sending. `[words](https://…)` becomes a link. To show brackets, write `\\[words](https://…)`, or `\\\\[words](https://…)` in double quotes. Default: `Thank you.`',
        localizedText(),
      ),
      submit_label: optional('Text of the button. Default: `Send`.', localizedText()),
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
    cache_ttl: withDefault('30s', 'Time until a loaded config is read again.', duration()),
    plugins: optional(
      'Plug-ins: npm packages, or paths of modules relative to the config (`[./crm.mjs]`); `{use: ./crm.mjs, with: {…}}` adds options (docs/plugins.md). Only in a config file.',
      pluginList,
    ),
    forms: required(
      'The forms, by name.',
      record(form, formNameProblem, '{contact: {fields: […], outputs: […]}}'),
    ),
    ...(Object.keys(sharedSpam).length > 0 && {
      spam: optionalBlock('Defaults for all forms.', object(sharedSpam, '{doubt: tag}')),
    }),
    ...top,
  });

function formNameProblem(id: string): string | undefined {
  if (id === '' || hasControls(id)) return 'a form name must be plain text of at least one character';
  return /^\.{1,2}$/.test(id) ? 'this name cannot be part of a URL' : undefined;
}
