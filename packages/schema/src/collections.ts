/** Maps and lists of a config. */
import { memoized } from '@form-relay/base/maybe_promise';
import { Diagnostics, either } from './diagnostics.ts';
import {
  isMap,
  type JsonSchema,
  jsonSchemaOf,
  type Parsed,
  type Properties,
  type Schema,
  schema,
} from './schema.ts';
import type { Named } from './suggestion.ts';

const notAMap = (value: unknown, at: Diagnostics, example: string | undefined): undefined =>
  at.found(
    value,
    `expected a map${example === undefined ? '' : ` such as ${example}`}${Array.isArray(value) ? ', without dashes' : ''}`,
  );

/**
 * A map with these keys. Always returns what could be read, so that mistakes between keys are reported along
 * with mistakes in their values.
 *
 * @param example Shown if the value is not a map.
 * @param check Reports mistakes between keys; values that could not be read are `undefined`.
 */
export const object = <K extends Properties>(
  keys: K,
  example?: string,
  check?: (read: Partial<Parsed<K>>, at: Diagnostics) => void,
): Schema<Parsed<K>> =>
  schema(
    () => jsonOf(keys),
    (value, at) => {
      if (!isMap(value)) return notAMap(value, at, example);
      const read: Record<string, unknown> = {};
      for (const key in value) if (!Object.hasOwn(keys, key)) unknownKey(key, keys, value, at);
      for (const name in keys) {
        const property = keys[name];
        if (!property) continue;
        const written = Object.hasOwn(value, name) ? value[name] : undefined;
        if (written !== undefined) read[name] = property.schema(written, at.in(name));
        else if (property.fallback !== undefined) read[name] = defaultOf(property.schema)(property.fallback);
        else if (property.isRequired) at.in(name).error(`${name} is missing`, { code: 'key_missing' });
      }
      check?.(read as Partial<Parsed<K>>, at);
      return read as Parsed<K>;
    },
    { properties: keys },
  );

function unknownKey(key: string, keys: Properties, map: object, at: Diagnostics): void {
  at.in(key).error(`unknown key; expected ${either(Object.keys(keys))}`, {
    code: 'key_unknown',
    aboutKey: true,
    unknownKey: { known: keys, map },
  });
}

function jsonOf(keys: Properties): JsonSchema {
  const properties = Object.entries(keys).map(([name, { doc, schema: kind, fallback }]) => {
    const json = jsonSchemaOf(kind);
    const initial = fallback !== undefined && { default: asWritten(fallback, json) };
    return [name, { ...json, description: doc, ...initial }];
  });
  const required = Object.keys(keys).filter((name) => keys[name]?.isRequired);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Converts a default to the number or boolean that it represents. */
function asWritten(fallback: string, { type }: JsonSchema): JsonSchema['default'] {
  const types = [type].flat();
  if (types.includes('boolean') && /^(true|false)$/.test(fallback)) return fallback === 'true';
  return (types.includes('integer') || types.includes('number')) && /^\d+$/.test(fallback)
    ? Number(fallback)
    : fallback;
}

/** Each default is parsed once, because a large config leaves out most keys. */
const defaultOf = memoized((kind: Schema<unknown>) =>
  memoized((fallback: string) => kind(fallback, new Diagnostics())),
);

const anything: Schema<unknown> = (value) => value;

interface Otherwise<T> {
  /** Reads a map without the key that names its kind. Default: the missing key is a mistake. */
  readonly absent?: Schema<T> | undefined;
  /** Reads a map of an unknown kind. Default: the unknown kind is a mistake. */
  readonly otherwise?: Schema<T>;
  /** Keys of all kinds, which are checked even if the kind is wrong. */
  readonly common?: Properties;
  /** The value of a map whose kind is wrong, as far as it could be read, for checks between keys. Default: `undefined`. */
  readonly invalid?: (read: Partial<Parsed<Properties>>, at: Diagnostics) => T | undefined;
  /** Shown if the value is not a map. */
  readonly example: string;
  /** The kinds by name, with the names that other products use. */
  readonly named?: readonly (Named & { readonly summary?: string })[];
  /** The thing that has these kinds, such as `output`, for editors. */
  readonly noun?: string;
  /** Words that are not kinds here, each with what to write instead. */
  readonly elsewhere?: ReadonlyMap<string, string>;
}

/** A map of one of several kinds; its key `by` names the kind. */
export function discriminatedUnion<T>(
  by: string,
  kinds: ReadonlyMap<string, Schema<T>>,
  { absent, otherwise, common = {}, invalid, example, named, noun, elsewhere }: Otherwise<T>,
): Schema<T> {
  const names: NonNullable<typeof named> = named ?? [...kinds.keys()].map((name) => ({ name }));
  const properties = new Map([...kinds].map(([name, kind]) => [name, kind.properties ?? {}]));
  const kindJson = (): JsonSchema => ({
    ...(noun && { title: `${noun} ${by}`, description: `The ${noun} ${by}.` }),
    anyOf: [...names.map(({ name, summary }) => ({ const: name, ...(summary && { description: summary }) }))],
    ...(absent && { default: [...kinds].find(([, one]) => one === absent)?.[0] }),
  });
  /** Reads a map of an unknown kind: checks only that each key belongs to some kind. */
  const ofAnyKind = () => {
    const all = [...properties.values()].flatMap((one) => Object.entries(one));
    return object({
      ...Object.fromEntries(all.map(([key]) => [key, { doc: '', schema: anything }])),
      ...common,
      [by]: { doc: '', schema: choice(names, elsewhere), isRequired: true },
    });
  };
  return schema(
    () => ({
      type: 'object',
      properties: { [by]: kindJson() },
      ...(!absent && { required: [by] }),
      // With `if`, an editor reports the mistake itself rather than every kind that does not match.
      allOf: [...kinds].map(([name, one]) => {
        const type = { [by]: { const: name } };
        const json = jsonSchemaOf(one);
        return {
          if: { type: 'object', properties: type, ...(one !== absent && { required: [by] }) },
          // biome-ignore lint/suspicious/noThenProperty: a key of JSON Schema
          then: {
            ...json,
            properties: { ...json.properties, ...type },
            ...(noun && { title: `${name} ${noun}` }),
          },
        };
      }),
    }),
    (value, at) => {
      if (!isMap(value)) return notAMap(value, at, example);
      const name = value[by];
      const kind = typeof name === 'string' ? kinds.get(name) : name === undefined ? absent : undefined;
      if (kind) return kind(value, at);
      if (otherwise && typeof name === 'string') return otherwise(value, at);
      if (otherwise && name !== undefined) return at.in(by).found(name, 'expected text');
      const read = ofAnyKind()(value, at);
      return read && invalid?.(read, at);
    },
    { kinds: properties },
  );
}

/** A map whose keys the owner chooses, in the order written. */
export const record = <T>(
  item: Schema<T>,
  keyProblem?: (key: string, earlier: ReadonlyMap<string, T>) => string | undefined,
  example?: string,
): Schema<ReadonlyMap<string, T>> =>
  schema(
    () => ({ type: 'object', additionalProperties: jsonSchemaOf(item) }),
    (value, at) => {
      if (!isMap(value)) return notAMap(value, at, example);
      const map = new Map<string, T>();
      for (const [key, one] of Object.entries(value)) {
        const problem = keyProblem?.(key, map);
        if (problem !== undefined) at.in(key).error(problem, { aboutKey: true });
        const read = item(one, at.in(key));
        if (read !== undefined) map.set(key, read);
      }
      return map;
    },
  );

const dashWithoutSpace = 'the dash that starts an item needs a space after it, as in "- name: email"';

/** A list of values. `orOne`: a single value counts as a list of one. */
export const array = <T>(item: Schema<T>, { least = 0, orOne = false } = {}): Schema<readonly T[]> =>
  schema(
    () => {
      const list: JsonSchema = {
        type: 'array',
        items: jsonSchemaOf(item),
        ...(least > 0 && { minItems: least }),
      };
      return orOne ? { anyOf: [jsonSchemaOf(item), list] } : list;
    },
    (value, at) => {
      if (!Array.isArray(value)) {
        if (!orOne) return notAList(value, at);
        const one = item(value, at);
        return one === undefined ? undefined : [one];
      }
      if (value.length < least) at.error(`found an empty list; expected at least ${least}`);
      return value.map((one, index) => item(one, at.in(index))).filter((one) => one !== undefined);
    },
    item,
  );

/** Reports a value that is not a list. In YAML, `-name: email` is a key `-name`, and a dash without a space after it is text. */
function notAList(value: unknown, at: Diagnostics): undefined {
  const key = isMap(value) ? Object.keys(value).find((one) => one.startsWith('-')) : undefined;
  if (key !== undefined) return at.in(key).error(dashWithoutSpace, { aboutKey: true });
  if (typeof value === 'string' && /^-\S/.test(value)) return at.error(dashWithoutSpace);
  const example =
    typeof value !== 'string' ? ', in which every item starts with a dash and a space' : listed(value);
  return at.found(value, `expected a list${example}`);
}

/** Writes the list that was probably meant: `[a, b]` for `a, b`. */
function listed(text: string): string {
  const isPlain = /^[\w.\u00a1-\uffff-][\w. ,\u00a1-\uffff-]*$/.test(text) && text.length <= 40;
  const items = isPlain ? text.split(',').map((item) => item.trim()) : [];
  return items.length === 0 || items.includes('') ? '' : ` such as [${items.join(', ')}]`;
}

/**
 * Accepts one of several names; suggests one for the names that other products use. `elsewhere`: words that
 * belong in another place.
 */
export const choice = <T extends string>(
  options: readonly (Named & { readonly name: T })[],
  elsewhere?: ReadonlyMap<string, string>,
): Schema<T> =>
  schema({ enum: options.map(({ name }) => name) }, (value, at) => {
    const chosen = options.find(({ name }) => name === value);
    if (chosen) return chosen.name;
    const word = typeof value === 'string' ? value : '';
    const place = elsewhere?.get(word.toLowerCase());
    if (place !== undefined) return at.found(value, place);
    const expected = `expected ${either(options.map(({ name }) => name))}`;
    return at.found(value, expected, { code: 'not_a_choice', word, options });
  });
