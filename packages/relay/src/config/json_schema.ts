/** The config's schemas as JSON Schema draft-07, which editors support best (yaml-language-server and others). */
import * as v from 'valibot';
import { captchaProviders, captchaSchema } from '../features/captcha/captcha_schema.ts';
import { commonKeys as captchaKeys } from '../features/captcha/provider.ts';
import { carrier, carriers } from '../features/visitor_mails/carrier.ts';
import { countryCodes } from '../fields/country_list.ts';
import { commonKeys as fieldKeys } from '../fields/field.ts';
import { fieldTypes } from '../fields/index.ts';
import { oauth2 } from '../outputs/http_outputs.ts';
import { outputTypes } from '../outputs/index.ts';
import { grantKey, oauth2Kinds } from '../outputs/oauth2.ts';
import { commonKeys as outputKeys } from '../outputs/output.ts';
import type { AnySchema, KindInfo } from '../schema/any_schema.ts';
import { loadAllParts } from './late_parts.ts';
import { configSchema, entry, noteKeys, output } from './schema.ts';

export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly [keyword: string]: unknown;
}

/** The text of docs/webform.schema.json, for this version of the relay. */
export async function configSchemaText(): Promise<string> {
  await loadAllParts();
  return `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
}

const configJsonSchema = (): JsonSchema => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...toJsonSchema(configSchema),
  title: 'Form Relay config',
  description: 'Forms, their fields, and the outputs that get what visitors submit.',
  definitions: {
    ...Object.fromEntries(
      Object.entries(common).flatMap(([noun, keys]) =>
        Object.entries(keys).map(([key, schema]) => [`${noun}.${key}`, toJsonSchema(schema)]),
      ),
    ),
    'mail.server': carrierJsonSchema(),
    field: fieldJsonSchema(),
    country: {
      type: 'string',
      enum: countryCodes,
      errorMessage: 'Expected a country code of ISO 3166-1, such as DE.',
    },
  },
});

/** The keys that all variants share, defined once and referenced. */
const common = { field: fieldKeys, output: outputKeys, captcha: captchaKeys } as const;

/** A map with these keys only. */
export const sectionJsonSchema = (entries: v.ObjectEntries): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(entries).filter((key) => entries[key]?.type !== 'optional'),
  properties: Object.fromEntries(Object.entries(entries).map(([key, entry]) => [key, toJsonSchema(entry)])),
});

/** Throws on an unknown kind of schema, so that none is omitted silently. */
function toJsonSchema(schema: v.GenericSchema): JsonSchema {
  const { wrapped, takesNothing, english, default: fallback = english } = schema as AnySchema;
  if (wrapped && schema.type === 'optional') {
    const inner = takesNothing ? orNothing(toJsonSchema(wrapped)) : toJsonSchema(wrapped);
    return fallback === undefined ? inner : { ...inner, default: asYaml(fallback, inner) };
  }
  const description = v.getDescription(schema);
  return { ...kindOf(schema), ...(description !== undefined && { description }) };
}

const orNothing = ({ anyOf, type = [], ...inner }: JsonSchema): JsonSchema =>
  anyOf
    ? { ...inner, anyOf: [...anyOf, { type: 'null' }] }
    : { ...inner, type: [...(Array.isArray(type) ? type : [type]), 'null'] };

function kindOf(schema: v.GenericSchema): JsonSchema {
  const { perLanguage, ...info } = v.getMetadata(schema) as Partial<KindInfo>;
  if (perLanguage && info.jsonSchema) return orByLanguage(info.jsonSchema);
  const { jsonSchema, values, either } = info;
  const root = rootOf(schema);
  if (root === entry) return entryJsonSchema();
  if (root === output) return variants('output', 'type', outputTypes());
  if (root === captchaSchema) return captchaJsonSchema;
  if (root === oauth2) return oauth2JsonSchema();
  if (root === carrier) return { $ref: '#/definitions/mail.server' };
  if (root.isLate) return toJsonSchema(root.getter?.(undefined) as v.GenericSchema);
  if (either) {
    const title = jsonSchema?.title;
    return { ...(typeof title === 'string' && { title }), anyOf: either.map(toJsonSchema) };
  }
  if (values) return { ...jsonSchema, additionalProperties: toJsonSchema(values) };
  if (jsonSchema?.title !== undefined) return jsonSchema;
  const { type, entries, options, literal, item } = root;
  switch (type) {
    case 'literal':
      return { const: literal };
    case 'picklist':
      return { enum: options };
    case 'array':
      return { type: 'array', ...jsonSchema, items: toJsonSchema(item as v.GenericSchema) };
    case 'object':
      return sectionJsonSchema(entries as v.ObjectEntries);
  }
  throw new Error(`config/json_schema.ts does not know "${type}"; give its kind a jsonSchema with a title`);
}

const orByLanguage = ({ type, ...text }: JsonSchema): JsonSchema => ({
  ...text,
  type: [...(Array.isArray(type) ? type : [type]), 'object'],
  additionalProperties: { ...text, type },
});

/** A pipe copies its first schema, so the schema's identity is found only inside. */
function rootOf(schema: v.GenericSchema): AnySchema {
  const [first] = (schema as AnySchema).pipe ?? [];
  return first ? rootOf(first) : (schema as AnySchema);
}

/** Converts a default, which is text in code, to the number or flag of a config. */
function asYaml(fallback: string, { type = [] }: JsonSchema): unknown {
  if (type.includes('boolean')) return fallback === 'true';
  return /integer|number/.test(String(type)) && /^\d+$/.test(fallback) ? Number(fallback) : fallback;
}

type Variant<Key extends string> = Readonly<Record<Key | 'summary', string>> & {
  readonly schema: v.GenericSchema;
  readonly jsonSchema?: object;
};

/**
 * A map whose `key` determines its other keys. Uses `if` and `then` instead of `oneOf`, so that editors report the
 * mistake itself instead of every variant that does not match.
 */
function variants<Key extends string>(
  noun: keyof typeof common,
  key: Key,
  all: readonly Variant<Key>[],
  fallback?: string,
): JsonSchema {
  const isNamed = (name: string): JsonSchema => ({
    type: 'object',
    properties: { [key]: { const: name } },
    ...(name !== fallback && { required: [key] }),
  });
  const keyTitle = `${noun} ${key}`;
  return {
    type: 'object',
    ...(fallback === undefined && { required: [key] }),
    properties: {
      [key]: {
        title: keyTitle,
        description: `The ${keyTitle}.`,
        enum: all.map(({ [key]: name }) => name),
        enumDescriptions: all.map(({ summary }) => summary),
        default: fallback,
      },
    },
    allOf: all.map(({ [key]: name, schema, jsonSchema }) => ({
      if: isNamed(name),
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
      then: { ...referring(noun, toJsonSchema(schema)), ...jsonSchema, title: `${name} ${noun}` },
    })),
  };
}

const referring = (noun: keyof typeof common, { properties = {}, ...schema }: JsonSchema): JsonSchema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [
      key,
      key in common[noun] ? { $ref: `#/definitions/${noun}.${key}` } : property,
    ]),
  ),
});

const fieldJsonSchema = () => variants('field', 'type', fieldTypes(), 'text');
const entryJsonSchema = (): JsonSchema => ({
  if: {
    type: 'object',
    required: ['note'],
    not: { anyOf: [{ required: ['name'] }, { required: ['type'] }] },
  },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
  then: { ...sectionJsonSchema(noteKeys), title: 'note' },
  else: { $ref: '#/definitions/field' },
});
const captchaJsonSchema = variants('captcha', 'provider', captchaProviders);

/** Kinds with the same grant are told apart by a key. */
const oauth2JsonSchema = (): JsonSchema => ({
  type: 'object',
  required: ['grant'],
  properties: { grant: toJsonSchema(grantKey) },
  allOf: oauth2Kinds.map(({ name, grant, keys }) => {
    const isGranted = { type: 'object', required: ['grant'], properties: { grant: { const: grant } } };
    const hasAccount = { required: ['service_account'] };
    const isOfTwo = oauth2Kinds.filter((other) => other.grant === grant).length > 1;
    const byKey = 'service_account' in keys ? hasAccount : { not: hasAccount };
    return {
      if: isOfTwo ? { allOf: [isGranted, byKey] } : isGranted,
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
      then: { ...sectionJsonSchema({ grant: grantKey, ...keys }), title: name },
    };
  }),
});

/** The server of a mail to the visitor: an output's keys, without those that say what is sent to whom. */
const carrierJsonSchema = (): JsonSchema => ({
  type: 'object',
  required: ['type'],
  allOf: carriers().map(({ type, keys }) => ({
    if: { type: 'object', required: ['type'], properties: { type: { const: type } } },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
    then: { ...referring('output', sectionJsonSchema(keys)), title: `${type} server` },
  })),
});
