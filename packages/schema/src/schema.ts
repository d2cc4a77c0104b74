/**
 * Schemas read the values of a config. Parsed YAML consists of strings, lists, maps and null; each schema
 * converts a value, or reports why it cannot, with the place. A property is a schema with its documentation.
 */
import type { Diagnostics } from './diagnostics.ts';

type Scalar = string | number | boolean | null;

/** A schema for editors and the reference: JSON Schema, draft 7. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: Scalar;
  readonly enum?: readonly Scalar[];
  readonly default?: Scalar;
  readonly examples?: readonly Scalar[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly pattern?: string;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
  readonly not?: JsonSchema;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
  readonly [keyword: string]: unknown;
}

/** Reads a value, or reports mistakes and returns `undefined`. */
export interface Schema<T> {
  (value: unknown, at: Diagnostics): T | undefined;
  /** The kind of value, for editors. Default: any value. */
  readonly json?: JsonSchema | (() => JsonSchema) | undefined;
  /** @internal The keys of a map, for advice on misplaced ones. */
  readonly properties?: Properties | undefined;
  /** @internal The properties of each kind, for a map of several kinds. */
  readonly kinds?: ReadonlyMap<string, Properties> | undefined;
}

export const schema = <T>(
  json: JsonSchema | (() => JsonSchema),
  read: (value: unknown, at: Diagnostics) => T | undefined,
  { properties, kinds }: Pick<Schema<unknown>, 'properties' | 'kinds'> = {},
): Schema<T> => Object.assign(read, { json, properties, kinds });

/** Reads a value that has the JSON Schema of `like`. */
export const schemaLike = <T>(
  like: Schema<unknown>,
  read: (value: unknown, at: Diagnostics) => T | undefined,
): Schema<T> => schema(() => jsonSchemaOf(like), read);

/** Reads a value with `kind` and then checks it further. */
export const checked = <T>(kind: Schema<T>, check: (read: T, at: Diagnostics) => T | undefined): Schema<T> =>
  schemaLike(kind, (value, at) => {
    const read = kind(value, at);
    return read === undefined ? undefined : check(read, at);
  });

export const jsonSchemaOf = ({ json = {} }: Schema<unknown>): JsonSchema =>
  typeof json === 'function' ? json() : json;

/** JSON Schema for a map that has this key. */
export const having = (key: string): JsonSchema => ({ properties: { [key]: {} }, required: [key] });

export interface Property<T> {
  readonly doc: string;
  readonly schema: Schema<unknown>;
  readonly isRequired?: true;
  /** The default, as written in a config. */
  readonly fallback?: string;
  /** Names for it in other products and languages: `words('success thank_you')`. */
  readonly aliases?: readonly string[];
  /** Never set; carries the type. */
  readonly '~type'?: T;
}

export type Properties = Readonly<Record<string, Property<unknown>>>;
export type Parsed<K extends Properties> = {
  readonly [N in keyof K]: K[N] extends Property<infer T> ? T : never;
};

export function required<T>(
  doc: string,
  schema: Schema<T>,
  more?: Pick<Property<unknown>, 'aliases'>,
): Property<T> {
  return { doc, schema, isRequired: true, ...more };
}

export function optional<T>(
  doc: string,
  schema: Schema<T>,
  more?: Pick<Property<unknown>, 'aliases'>,
): Property<T | undefined> {
  return { doc, schema, ...more };
}

/** @param fallback The default, as written in a config. */
export function withDefault<T>(
  fallback: string | number | boolean,
  doc: string,
  schema: Schema<T>,
  more?: Pick<Property<unknown>, 'aliases'>,
): Property<T> {
  return { doc, schema, fallback: String(fallback), ...more };
}

/** An optional block of keys. An empty block, as in `spam:`, counts as absent. */
export function optionalBlock<T>(
  doc: string,
  block: Schema<T>,
  more?: Pick<Property<unknown>, 'aliases'>,
): Property<T | undefined> {
  const read = schema(
    () => orNothing(jsonSchemaOf(block)),
    (value, at) => (value === null ? undefined : block(value, at)),
    block,
  );
  return { doc, schema: read, ...more };
}

const orNothing = ({ anyOf, type, ...json }: JsonSchema): JsonSchema => ({
  ...json,
  ...(anyOf && { anyOf: [...anyOf, { type: 'null' }] }),
  ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
});

export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
