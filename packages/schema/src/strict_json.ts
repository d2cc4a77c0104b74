/** JSON Schema as every validator takes it, Ajv's strict mode too: one type in each place, and what repeats is a definition. */
import type { JsonSchema } from './schema.ts';

/** For values of which types a keyword says something. */
const typesOf: Readonly<Record<string, RegExp>> = {
  pattern: /string/,
  minLength: /string/,
  minimum: /number|integer/,
  maximum: /number|integer/,
  exclusiveMinimum: /number|integer/,
  items: /array/,
  minItems: /array/,
  properties: /object/,
  required: /object/,
  additionalProperties: /object/,
  minProperties: /object/,
  propertyNames: /object/,
  not: /object/,
};

export function strictJson(json: JsonSchema): JsonSchema {
  const strict = mapped(json, withOneType);
  const counts = new Map<string, number>();
  mapped(strict, (one) => {
    const { text } = kindIn(one);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return one;
  });
  const shared = new Map<string, string>();
  const definitions: Record<string, JsonSchema> = {};
  const replaced = mapped(strict, (one) => {
    const { text, kind, about } = kindIn(one);
    if (kind.title === undefined || counts.get(text) === 1) return one;
    const name = shared.get(text) ?? nameOf(kind.title, { ...json.definitions, ...definitions });
    shared.set(text, name);
    definitions[name] ??= kind;
    const reference = { $ref: `#/definitions/${name}` };
    // Draft 7 ignores the siblings of a reference.
    return Object.keys(about).length === 0 ? reference : { ...about, allOf: [reference] };
  });
  return { ...replaced, definitions: { ...replaced.definitions, ...definitions } };
}

/** The values that the schema accepts, apart from a key's description and default. */
function kindIn({ description, default: initial, ...kind }: JsonSchema) {
  const about = {
    ...(description !== undefined && { description }),
    ...(initial !== undefined && { default: initial }),
  };
  return { kind, about, text: JSON.stringify(kind) };
}

function nameOf(title: string, taken: object): string {
  const name = title.replaceAll(/\W+/g, '_').replace(/_$/, '');
  const names = [name, ...Array.from({ length: 99 }, (_, index) => `${name}_${index + 2}`)];
  return names.find((one) => !Object.hasOwn(taken, one)) ?? name;
}

/** With `anyOf` in place of a list of types. */
function withOneType({ type, ...json }: JsonSchema): JsonSchema {
  if (typeof type === 'string' || type === undefined) return type === undefined ? json : { type, ...json };
  const only = (isOf: (key: string) => boolean | undefined) =>
    Object.fromEntries(Object.entries(json).filter(([key]) => isOf(key)));
  const anyOf = type.map((name) => ({ type: name, ...only((key) => typesOf[key]?.test(name)) }));
  return { ...only((key) => !(key in typesOf)), anyOf };
}

/** Each schema in this one changed, from the outside in. */
function mapped(json: JsonSchema, change: (one: JsonSchema) => JsonSchema): JsonSchema {
  const below = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(below);
    return isObject(value) ? mapped(value, change) : value;
  };
  const inner = (key: string, value: unknown): unknown =>
    (key === 'properties' || key === 'definitions') && isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, below(one)]))
      : below(value);
  return Object.fromEntries(Object.entries(change(json)).map(([key, value]) => [key, inner(key, value)]));
}

const isObject = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;
