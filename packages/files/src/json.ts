import { jsonPointer } from '@form-relay/base/json';
import { err, ok } from '@form-relay/base/result';
import type { Field, Message, Result, SentLists, Values } from '@form-relay/core/index';
import { isMap } from '@form-relay/schema/schema';

/** The members of a field that the JSON reader uses. */
type Typed = Pick<Field, 'name' | 'layout' | 'offered'> & {
  readonly inputs?: Pick<NonNullable<Field['inputs']>, 'shape' | 'all'> | undefined;
};

/** A path in JSON. */
type Steps = readonly (string | number)[];

interface Parsed {
  readonly values: Values;
  readonly lists: SentLists;
}

const malformed = err({ code: 'json_malformed' } as const);

export type ReadJson = (body: Uint8Array) => Result<Parsed, Message>;

/** Makes a body reader for a form with these fields. */
export function jsonReader(fields: readonly Typed[]): ReadJson {
  const all = fields.flatMap((field): readonly Typed[] => [field, ...(field.inputs?.all ?? [])]);
  const typed = new Map(all.map((field) => [field.name, field]));
  return (body) => parseJsonBody(body, fields, typed);
}

/**
 * Reads a JSON object (RFC 8259) of text, numbers, `true`, `false`, `null`, and lists of these. A field with
 * inputs is an object of them, or a list of such objects. A number keeps its text, because JavaScript would
 * round a long one. A repeated name is an error, because parsers disagree on which value counts.
 */
function parseJsonBody(
  body: Uint8Array,
  fields: readonly Typed[],
  typed: ReadonlyMap<string, Typed>,
): Result<Parsed, Message> {
  const all = readMembers(body);
  if (!all) return malformed;
  const values = new Map<string, readonly string[]>();
  const lists = new Map<string, readonly number[]>();
  const members = new Map<string, unknown>();
  for (let at = 0; at < all.length; at += 2) {
    const name = all[at] as string;
    if (members.has(name)) return refused('json_repeated', [name]);
    members.set(name, all[at + 1]);
  }
  for (const [name, member] of members) {
    const { found, wrong } = spread(typed.get(name), name, member);
    if (wrong) return refused('json_shape', wrong.steps, { shape: wrong.shape });
    for (const one of found) {
      const problem = add(...one);
      if (problem) return problem;
    }
  }
  // A field is sent either as a whole or by its inputs. Both together could be unintended entries.
  for (const field of fields) {
    const { name, inputs } = field;
    const other =
      inputs && spread(field, name, members.get(name)).found.length > 0
        ? [...members.keys()].find((one) => one.startsWith(`${name}.`))
        : undefined;
    if (other !== undefined) return refused('json_twice', [other]);
  }
  return ok({ values, lists });

  /** Adds the values of a field, or returns what is wrong with them. */
  function add(name: string, member: unknown, steps: Steps): Result<never, Message> | undefined {
    const isList = Array.isArray(member);
    const field = typed.get(name);
    const found: string[] = [];
    for (const one of isList ? member : [member]) {
      if (typeof one === 'object' && one !== null)
        return refused('json_too_deep', isList ? [...steps, found.length] : steps);
      found.push(textOf(one, field));
    }
    if ([name, ...found].some((text) => loneSurrogate.test(text))) return malformed;
    if (isList) {
      lists.set(
        name,
        found.flatMap((text, place) => (text === '' ? [] : [place])),
      );
    }
    values.set(name, found);
    return undefined;
  }
}

/** The inputs of a field's value, each with its path in JSON. `wrong`: the first path with another shape. */
export interface Spread {
  readonly found: readonly (readonly [name: string, value: unknown, steps: Steps])[];
  readonly wrong?: { readonly shape: '{…}' | '[{…}]'; readonly steps: Steps } | undefined;
}

/** The value of a field with inputs is an object with them, or a list of such objects; an empty value counts as none. */
export function spread(field: Typed | undefined, name: string, value: unknown): Spread {
  if (!field?.inputs) return { found: [[name, value, [name]]] };
  if (isNothing(value)) return { found: [] };
  if (field.inputs.shape === 'map') return spreadMap(value, name, [name]);
  if (!Array.isArray(value)) return { found: [], wrong: { shape: '[{…}]', steps: [name] } };
  const each = value.map((one, index) => spreadMap(one, `${name}.${index + 1}`, [name, index]));
  return { found: each.flatMap(({ found }) => found), wrong: each.find(({ wrong }) => wrong)?.wrong };
}

function spreadMap(value: unknown, name: string, steps: Steps): Spread {
  if (isNothing(value)) return { found: [] };
  if (!isMap(value)) return { found: [], wrong: { shape: '{…}', steps } };
  return {
    found: Object.entries(value).map(([key, one]) => [`${name}.${key}`, one, [...steps, key]] as const),
  };
}

const isNothing = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0);

const refused = (code: string, steps: Steps, params?: Message['params']) =>
  err({ code, params: { ...params, pointer: jsonPointer(...steps) } });

/**
 * The object as a list of names, each followed by its value, with numbers as text. A list keeps repeated names.
 * Besides, V8 could mistake a name with escapes for a name in an earlier body (nodejs/node#63785, since Node 24).
 */
function readMembers(body: Uint8Array): readonly unknown[] | undefined {
  try {
    const source = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const value: unknown = JSON.parse(source);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    let depth = 0;
    const asList = source.replaceAll(tokens, (token) => {
      if (token === '{') return ++depth === 1 ? '[' : token;
      if (token === '}') return --depth === 0 ? ']' : token;
      if (token === ':') return depth === 1 ? ',' : token;
      return token.startsWith('"') ? token : `"${token}"`;
    });
    return JSON.parse(asList);
  } catch {
    return undefined;
  }
}

/** Matches strings, numbers and the punctuation of objects in valid JSON. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[:{}]/g;

/**
 * The value as a browser would send it. `true` ticks a box and `false` does not; in other fields, `false`
 * counts if it is an option. An empty text is not a value, but keeps its place in a list.
 */
function textOf(one: string | boolean | null, field: Typed | undefined): string {
  if (typeof one === 'string') return one;
  const offered = field?.offered ?? [];
  if (field?.layout === 'box') return one ? (offered[0] ?? '') : '';
  return one || (one === false && offered.includes('false')) ? String(one) : '';
}

/** UTF-8 cannot encode half of a surrogate pair. */
const loneSurrogate = /[\ud800-\udfff]/u;
