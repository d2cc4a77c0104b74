/** The config's JSON Schema (docs/webform.schema.json), read along a config: pure functions over both. */
import type { JsonSchema as SchemaNode } from '@form-relay/core/index';
import { isMap, type Json, type Path, valueAt as valueIn } from '../edit/model.ts';

export type { JsonSchema as SchemaNode } from '@form-relay/core/index';

export type Kind = 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'map' | 'any';

/** A key that a map can have. */
export interface Key {
  readonly name: string;
  readonly description: string;
  /** The schema's `title`, such as `text` or `duration`; its kind where it has none. */
  readonly kindName: string;
  /** `any`: several kinds, such as a number or a map; `node` tells them apart. */
  readonly kind: Kind;
  readonly default?: Json;
  readonly isRequired: boolean;
  readonly node: SchemaNode;
  /** An example of the manual's, such as `5 per 10m`. */
  readonly placeholder?: string;
}

export interface Choice {
  readonly value: Json;
  readonly description: string;
}

export { isMap };

export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

export const valueAt = (path: Path, value: Json | undefined): Json | undefined => valueIn(value, path);

/** The schema of the value at `path` of the config `value`, in the variant that the value is. */
export function nodeIn(root: SchemaNode, path: Path, value: Json | undefined): SchemaNode | undefined {
  let node: SchemaNode | undefined = asHeld(root, root, value);
  let at = value;
  for (const key of path) {
    at = valueAt([key], at);
    const below: SchemaNode | undefined = node && stepInto(root, node, key);
    node = below && asHeld(root, below, at);
  }
  return node;
}

/** The keys of the map at `path`, in the schema's order. */
export function keysIn(root: SchemaNode, path: Path, value: Json | undefined): readonly Key[] {
  const node = nodeIn(root, path, value);
  const map = node && alternatives(root, node).find(({ properties }) => properties !== undefined);
  const { properties = {}, required = [] } = map ?? {};
  return Object.keys(properties).map((name) => {
    const below = asHeld(root, properties[name] as SchemaNode, valueAt([...path, name], value));
    return keyOf(root, name, below, required.includes(name));
  });
}

/** As `localizedText` of packages/schema/src/scalars.ts comes out: a text, or a map of texts. */
export const isByLanguage = ({ type }: SchemaNode) =>
  Array.isArray(type) && type.includes('string') && type.includes('object');

export function choicesIn(root: SchemaNode, path: Path, value: Json | undefined): readonly Choice[] {
  const node = nodeIn(root, path, value);
  return node === undefined ? [] : choicesOf(root, node);
}

/** The values that the node lists; none where it takes others by a rule. A flag lists `true` and `false`. */
export const choicesOf = (root: SchemaNode, node: SchemaNode): readonly Choice[] =>
  alternatives(root, node).flatMap((one): readonly Choice[] => {
    if (one.enum) return one.enum.map((value) => ({ value, description: '' }));
    if (one.const !== undefined) return [{ value: one.const, description: one.description ?? '' }];
    return isFlag(one) ? [true, false].map((value) => ({ value, description: '' })) : [];
  });

function keyOf(root: SchemaNode, name: string, node: SchemaNode, isRequired: boolean): Key {
  const { description = '', default: fallback } = node;
  const kind = kindOf(root, node);
  const placeholder = exampleIn(node);
  return {
    name,
    description,
    kindName:
      node.title ?? { any: 'value', choice: 'choice', list: 'list', map: 'map' }[kind as 'any'] ?? kind,
    kind,
    ...(fallback !== undefined && { default: fallback }),
    isRequired,
    node,
    ...(placeholder !== undefined && { placeholder }),
  };
}

/** The most likely kind of a value that is just begun. */
export function kindOf(root: SchemaNode, node: SchemaNode): Kind {
  const all = alternatives(root, node);
  const isChoice = (one: SchemaNode) => one.enum !== undefined || one.const !== undefined;
  if (all.length > 1) return all.every((one) => isChoice(one) || isFlag(one)) ? 'choice' : 'any';
  const [one = {}] = all;
  if (isChoice(one)) return 'choice';
  if (isFlag(one)) return 'boolean';
  const types = [one.type ?? (one.properties || one.additionalProperties ? 'object' : [])].flat();
  const [first] = types;
  const isNumeric = first === 'integer' || first === 'number';
  if (types.includes('array'))
    return types.every((type) => type === 'array' || type === 'null') ? 'list' : 'any';
  if (isNumeric) return types.includes('object') ? 'any' : 'number';
  if (first === 'object') return 'map';
  // As an alternative to a text, a map holds the same text by language.
  return first === 'string' ? 'text' : 'any';
}

const isFlag = ({ type = [], title }: SchemaNode) => type.includes('boolean') && title === 'true or false';

/** An example that the manual's text gives: "such as `5 per 10m`", or else the first of the kind. */
const exampleIn = ({ title, description = '', examples }: SchemaNode): string | undefined =>
  // The manual's example of a pattern is one to avoid.
  title === 'regular expression'
    ? undefined
    : (/such as `([^`]+)`/.exec(description)?.[1] ?? examples?.[0]?.toString());

/** The node itself, or the kinds of value among which it leaves the choice, but for nothing at all. */
function alternatives(root: SchemaNode, node: SchemaNode): readonly SchemaNode[] {
  const { anyOf, ...own } = resolved(root, node);
  if (anyOf === undefined) return [own];
  return anyOf
    .flatMap((one) => alternatives(root, one))
    .filter(({ type }) => type !== 'null')
    .map((one) => ({ ...own, ...one }));
}

function resolved(root: SchemaNode, node: SchemaNode): SchemaNode {
  const { $ref, ...own } = node;
  const name = $ref?.replace('#/definitions/', '');
  return name === undefined ? node : { ...resolved(root, root.definitions?.[name] ?? {}), ...own };
}

/** The node as its variants make it for this value: by `type`, `provider`, `grant` and the like. */
function asHeld(root: SchemaNode, given: SchemaNode, value: Json | undefined): SchemaNode {
  const node = resolved(root, given);
  // A map that is not begun yet.
  const held = value ?? {};
  if (node.if) {
    const [then, otherwise] = [node.then ?? {}, node.else ?? {}];
    if (fits(node.if, held)) return asHeld(root, then, value);
    const chosen = asHeld(root, otherwise, value);
    // The map can still become either variant.
    const isEmpty = isMap(held) && Object.keys(held).length === 0;
    return isEmpty ? { ...chosen, properties: { ...chosen.properties, ...then.properties } } : chosen;
  }
  if (node.allOf) {
    const { allOf, ...own } = node;
    const variant = allOf.find((one) => one.if && fits(one.if, held))?.then;
    return variant === undefined
      ? own
      : {
          ...own,
          ...variant,
          ...(own.description !== undefined && { description: own.description }),
          // The variant only knows its own type, and this knows all of them.
          properties: { ...variant.properties, ...own.properties },
        };
  }
  return node.anyOf ? { ...node, anyOf: node.anyOf.map((one) => asHeld(root, one, value)) } : node;
}

/** Checks only the keywords that conditions in the config's schema use. */
function fits(node: SchemaNode, value: Json): boolean {
  const { type, required = [], properties = {}, const: only, allOf = [], anyOf, not } = node;
  if (type === 'object' && !isMap(value)) return false;
  if (only !== undefined && value !== only) return false;
  const map = isMap(value) ? value : {};
  return (
    required.every((key) => Object.hasOwn(map, key)) &&
    Object.entries(properties).every(
      ([key, below]) => !Object.hasOwn(map, key) || fits(below, map[key] as Json),
    ) &&
    allOf.every((one) => fits(one, value)) &&
    (anyOf === undefined || anyOf.some((one) => fits(one, value))) &&
    !(not && fits(not, value))
  );
}

function stepInto(root: SchemaNode, node: SchemaNode, key: string | number): SchemaNode | undefined {
  for (const one of alternatives(root, node)) {
    if (typeof key === 'number') {
      if (one.items) return one.items;
      continue;
    }
    const property = one.properties && Object.hasOwn(one.properties, key) ? one.properties[key] : undefined;
    const others = typeof one.additionalProperties === 'object' ? one.additionalProperties : undefined;
    const below = property ?? others;
    if (below) return below;
  }
  return undefined;
}

// The fields that a config declares, as far as other parts of it speak about them. Pure.

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  /** As in HTML, such as `given-name`. */
  readonly autocomplete: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** The fields of the form `path` is in; none outside a form. */
export const fieldsIn = (path: Path, config: Json | undefined): readonly Field[] =>
  path[0] === 'forms' ? listOf(valueAt([...path.slice(0, 2), 'fields'], config)).flatMap(fieldOf) : [];

export function fieldOf(field: Json): readonly Field[] {
  if (!isMap(field)) return [];
  const { name, label, type, options, autocomplete } = field;
  if (typeof name !== 'string' && typeof name !== 'number') return [];
  return [
    {
      name: String(name),
      label: textOf(label) ?? words(String(name)),
      type: typeof type === 'string' ? type : 'text',
      autocomplete: typeof autocomplete === 'string' ? autocomplete : '',
      options: Array.isArray(options) ? options.flatMap((option: Json) => optionOf(option)) : [],
    },
  ];
}

function optionOf(option: Json) {
  if (!isMap(option)) return [{ value: String(option), label: String(option) }];
  const { value, label } = option;
  return isScalar(value) ? [{ value: String(value), label: textOf(label) ?? String(value) }] : [];
}

/** A text, or the first of its languages. */
export const textOf = (value: Json | undefined): string | undefined => {
  const one = isMap(value) ? Object.values(value)[0] : value;
  return isScalar(one) ? String(one) : undefined;
};

export const isScalar = (value: Json | undefined): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const spelled: Readonly<Record<string, string>> = {
  api: 'API',
  html: 'HTML',
  http: 'HTTP',
  id: 'ID',
  json: 'JSON',
  oauth2: 'OAuth 2',
  pdf: 'PDF',
  smtp: 'SMTP',
  tls: 'TLS',
  ttl: 'TTL',
  url: 'URL',
};

/** A key in words: `reply_to` is `Reply to`, `url_env` is `URL env`. */
export const words = (name: string): string => {
  const text = name
    .split(/[_\s]+/)
    .map((word) => spelled[word] ?? word)
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};
