/** Finds the part of the config's JSON Schema that describes a key. */
import type { JsonSchema } from '@form-relay/core/index';
import { configSchemaText } from '@form-relay/runtimes/inspect';

export interface Found {
  /** The `type` of field, output or captcha whose key this is; empty if all types have it. */
  readonly type: string;
  readonly schema: JsonSchema;
}

let loaded: Promise<JsonSchema> | undefined;

export const loadSchema = (): Promise<JsonSchema> => {
  loaded ??= configSchemaText().then((text) => JSON.parse(text));
  return loaded;
};

/** The segments of a path such as `forms.contact.outputs[0].url`. */
export const segmentsOf = (path: string): readonly string[] => path.match(/[^.[\]]+|\[\]/g) ?? [];

/**
 * The schemas at a path. Names of forms and other names of the owner's may be anything, such as `*`; a number, `[]` or `*` stands
 * for any entry of a list, and may be left out. After a list, a `type` may be named: `forms.*.outputs.webhook.url`.
 */
export function findSchemas(root: JsonSchema, segments: readonly string[]): readonly Found[] {
  let found: readonly Found[] = unfolded({ type: '', schema: root }, root);
  for (const segment of segments) {
    const next = found.flatMap((one) => step(one, segment, root));
    const typed = next.length > 0 ? next : found.flatMap((one) => ofType(one, segment, root));
    found = distinct(typed.flatMap((one) => unfolded(one, root)));
  }
  return found;
}

function step({ type, schema }: Found, segment: string, root: JsonSchema): readonly Found[] {
  const isEntry = /^(\d+|\[\]|\*)$/.test(segment);
  const { items, properties = {}, additionalProperties } = schema;
  if (items) {
    const entries = unfolded({ type, schema: items }, root);
    return isEntry ? entries : entries.flatMap((entry) => step(entry, segment, root));
  }
  const own = Object.hasOwn(properties, segment) ? properties[segment] : undefined;
  if (own) return [{ type, schema: own }];
  return typeof additionalProperties === 'object' ? [{ type, schema: additionalProperties }] : [];
}

const ofType = ({ type, schema }: Found, name: string, root: JsonSchema): readonly Found[] => {
  const entries = schema.items ? unfolded({ type, schema: schema.items }, root) : [{ type, schema }];
  return entries.filter((entry) => entry.type === name);
};

/** A schema with those that its references, alternatives and conditions lead to. */
function unfolded({ type, schema }: Found, root: JsonSchema, depth = 0): readonly Found[] {
  if (depth > 8) return [];
  const { $ref, allOf, anyOf, oneOf, then, else: otherwise, properties } = schema;
  const own = String(properties?.type?.const ?? type);
  const more = [
    ...($ref === undefined ? [] : [definition($ref, root)]),
    ...[allOf, anyOf, oneOf].flatMap((some) => some ?? []),
    ...[then, otherwise].filter((one) => one !== undefined),
  ];
  const rest = more.flatMap((one) => unfolded({ type: own, schema: one }, root, depth + 1));
  const isEmpty = Object.keys(schema).every((key) => ['$ref', 'allOf', 'if', 'then', 'else'].includes(key));
  return isEmpty ? rest : [{ type: own, schema }, ...rest];
}

const definition = (ref: string, root: JsonSchema): JsonSchema =>
  root.definitions?.[ref.replace('#/definitions/', '')] ?? {};

function distinct(all: readonly Found[]): readonly Found[] {
  const seen = new Map(all.map((one) => [`${one.type} ${JSON.stringify(one.schema)}`, one]));
  return [...seen.values()];
}

export interface KeyDescription {
  readonly description?: string;
  readonly kind?: string;
  readonly expected?: string;
  readonly default?: unknown;
  readonly values?: string[];
}

/** The facts about a key that people look up. */
export function described(schema: JsonSchema, root: JsonSchema): KeyDescription {
  const target = schema.$ref === undefined ? schema : definition(schema.$ref, root);
  const { description, title, type, enum: values, errorMessage } = target;
  const kind = title ?? (type && [type].flat().join(' or '));
  return {
    ...(description !== undefined && { description }),
    ...(kind !== undefined && { kind }),
    ...(errorMessage !== undefined && { expected: errorMessage }),
    ...(target.default !== undefined && { default: target.default }),
    ...(values && { values: values.map(String) }),
  };
}
