/** Looks up nodes of the config's JSON Schema (docs/webform.schema.json) for places in a config. */
import type { JsonSchema as SchemaNode } from '@form-relay/core/index';
import { signal } from '@preact/signals';
import { isMap, isScalar, type Json, listOf, type Path, valueAt } from '../edit/model.ts';
import { loader } from './relay.ts';

export type { JsonSchema as SchemaNode } from '@form-relay/core/index';

type Kind = 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'map' | 'any';

/** `undefined` until loaded. */
export const schema = signal<SchemaNode | undefined>(undefined);
export const loadSchema = loader<SchemaNode>('/studio/schema.json', (loaded) => {
  schema.value = loaded;
});

/** A key that a map can have. */
export interface Key {
  readonly name: string;
  readonly description: string;
  /** The schema's `title`, such as `text` or `duration`; without one, the kind. */
  readonly kindName: string;
  /** `any`: several kinds, such as a number or a map; `node` distinguishes them. */
  readonly kind: Kind;
  readonly default: Json | undefined;
  readonly isRequired: boolean;
  readonly node: SchemaNode;
  /** An example from the manual, such as `5 per 10m`. */
  readonly placeholder: string | undefined;
}

export interface Choice {
  readonly value: Json;
  readonly description: string;
}

/** The schema at `path` of the config `value`, in the variant that applies to the value. */
export function nodeAt(path: Path, value: Json | undefined): SchemaNode | undefined {
  let node: SchemaNode | undefined = schema.value && asHeld(schema.value, value);
  let at = value;
  for (const key of path) {
    at = valueAt(at, [key]);
    const below: SchemaNode | undefined = node && stepInto(node, key);
    node = below && asHeld(below, at);
  }
  return node;
}

/** Keys that the map at `path` can have, in the schema's order. */
export function keysAt(path: Path, value: Json | undefined): readonly Key[] {
  const node = nodeAt(path, value);
  const map = node && alternatives(node).find(({ properties }) => properties !== undefined);
  const { properties = {}, required = [] } = map ?? {};
  return Object.entries(properties).map(([name, below]) =>
    keyOf(name, asHeld(below, valueAt(value, [...path, name])), required.includes(name)),
  );
}

/** Matches the schema of `localizedText` in packages/schema/src/scalars.ts: a text, or a map of texts. */
export const isByLanguage = ({ type }: SchemaNode) =>
  Array.isArray(type) && type.includes('string') && type.includes('object');

/** Values that the schema lists at `path`; empty if a rule allows others. Flags list `true` and `false`. */
export const choicesAt = (path: Path, value: Json | undefined): readonly Choice[] =>
  alternatives(nodeAt(path, value) ?? {}).flatMap((one): readonly Choice[] => {
    if (one.const !== undefined) return [{ value: one.const, description: one.description ?? '' }];
    return (one.enum ?? (isFlag(one) ? [true, false] : [])).map((value) => ({ value, description: '' }));
  });

function keyOf(name: string, node: SchemaNode, isRequired: boolean): Key {
  const { title, description = '', default: fallback } = node;
  const kind = kindOf(node);
  const kindName = title ?? (kind === 'any' ? 'value' : kind);
  return {
    name,
    description,
    kindName,
    kind,
    default: fallback,
    isRequired,
    node,
    placeholder: exampleIn(node),
  };
}

/** The most likely kind of a new value. */
export function kindOf(node: SchemaNode): Kind {
  const all = alternatives(node);
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
  // A map as an alternative to a text contains the same text by language.
  return first === 'string' ? 'text' : 'any';
}

const isFlag = ({ type = [], title }: SchemaNode) => type.includes('boolean') && title === 'true or false';

/** An example from the manual ("such as `5 per 10m`"), or else the first example of the kind. */
const exampleIn = ({ title, description = '', examples }: SchemaNode): string | undefined =>
  // The manual's example of a pattern is one to avoid.
  title === 'regular expression'
    ? undefined
    : (/such as `([^`]+)`/.exec(description)?.[1] ?? examples?.[0]?.toString());

/** The alternatives of a node, without the empty ones; or the node itself. */
function alternatives(node: SchemaNode): readonly SchemaNode[] {
  const { anyOf, ...own } = resolved(node);
  if (anyOf === undefined) return [own];
  return anyOf
    .flatMap(alternatives)
    .filter(({ type }) => type !== 'null')
    .map((one) => ({ ...own, ...one }));
}

function resolved(node: SchemaNode): SchemaNode {
  const { $ref, ...own } = node;
  const name = $ref?.replace('#/definitions/', '');
  return name === undefined ? node : { ...resolved(schema.value?.definitions?.[name] ?? {}), ...own };
}

/** The node in the variant that fits the value: by `type`, `provider`, `grant` and the like. */
function asHeld(given: SchemaNode, value: Json | undefined): SchemaNode {
  const node = resolved(given);
  // A map without keys.
  const held = value ?? {};
  if (node.if) {
    const [then, otherwise] = [node.then ?? {}, node.else ?? {}];
    if (fits(node.if, held)) return asHeld(then, value);
    const chosen = asHeld(otherwise, value);
    // An empty map can still become either variant.
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
          // The variant lists only its own type; the node lists all types.
          properties: { ...variant.properties, ...own.properties },
        };
  }
  return node.anyOf ? { ...node, anyOf: node.anyOf.map((one) => asHeld(one, value)) } : node;
}

/** Supports only the keywords that conditions in the config's schema use. */
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

function stepInto(node: SchemaNode, key: string | number): SchemaNode | undefined {
  const below = alternatives(node).map(({ items, properties = {}, additionalProperties: others }) => {
    if (typeof key === 'number') return items;
    return Object.hasOwn(properties, key) ? properties[key] : typeof others === 'object' && others;
  });
  return below.find((one) => typeof one === 'object');
}

// The declared fields of a config, with the properties that other parts refer to.

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  /** As in HTML, such as `given-name`. */
  readonly autocomplete: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** The fields of the form around `path`; empty outside a form. */
export const fieldsIn = (path: Path, config: Json | undefined): readonly Field[] =>
  path[0] === 'forms' ? listOf(valueAt(config, [...path.slice(0, 2), 'fields'])).flatMap(fieldOf) : [];

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
      options: listOf(options).flatMap(optionOf),
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

/** Splits a key into words: `reply_to` becomes `Reply to`, `url_env` becomes `URL env`. */
export const words = (name: string): string => {
  const text = name
    .split(/[_\s]+/)
    .map((word) => spelled[word] ?? word)
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};
