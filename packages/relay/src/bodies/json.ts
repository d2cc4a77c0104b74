import { noFiles } from '../base/files.ts';
import type { Refusal, RefusalCode } from '../base/outcome.ts';
import { err, ok, type Result } from '../base/result.ts';
import { jsonPointer } from './json_pointer.ts';
import type { Sent, Steps, Typed } from './sent.ts';

const malformed = err({ code: 'json_malformed' } as const);

/**
 * Reads a JSON object (RFC 8259) of text, numbers, `true`, `false`, `null`, and lists of these. A field of parts is an
 * object of them, or a list of such objects. A number keeps its text,
 * since JavaScript would round a long one. A repeated name is malformed: readers differ on which value counts.
 */
export function parseJsonBody(body: Uint8Array, fields: readonly Typed[]): Result<Sent, Refusal> {
  const all = readMembers(body);
  if (!all) return malformed;
  const values = new Map<string, readonly string[]>();
  const lists = new Map<string, readonly number[]>();
  const typed = new Map(
    fields.flatMap((field) => [field, ...(field.parts?.all ?? [])]).map((field) => [field.name, field]),
  );
  const members = new Map<string, unknown>();
  for (let at = 0; at < all.length; at += 2) {
    const name = all[at] as string;
    if (members.has(name)) return malformed;
    members.set(name, all[at + 1]);
  }
  for (const [name, member] of members) {
    const { found, wrong } = typed.get(name)?.parts?.spread(member) ?? {
      found: [[name, member, [name]] as const],
    };
    if (wrong) return refused('json_shape', wrong.steps, { shape: wrong.shape });
    for (const one of found) {
      const problem = add(...one);
      if (problem) return problem;
    }
  }
  // A field comes whole or by its parts: added up, they might be entries that nobody meant.
  for (const { name, parts } of fields) {
    const other = parts?.spread(members.get(name)).found.length
      ? [...members.keys()].find((one) => one.startsWith(`${name}.`))
      : undefined;
    if (other !== undefined) return refused('json_twice', [other]);
  }
  return ok({ values, files: noFiles, lists });

  /** Adds the values of a field, or returns what is wrong with them. */
  function add(name: string, member: unknown, steps: Steps): Result<never, Refusal> | undefined {
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

const refused = (code: RefusalCode, steps: Steps, params?: Refusal['params']) =>
  err({ code, params: { ...params, pointer: jsonPointer(...steps) } });

/**
 * The object as a list of names, each followed by its value, with numbers as text. A list keeps repeated names, and V8
 * cannot mistake a name with escapes for a name of an earlier body (nodejs/node#63785, since Node 24).
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

/** Texts, numbers and punctuation of objects in valid JSON. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[:{}]/g;

/**
 * The value as a browser would send it. `true` ticks a box and `false` does not; in other fields, `false` counts if it is
 * a choice. An empty text is no value, but keeps its place in a list.
 */
function textOf(one: string | boolean | null, field: Typed | undefined): string {
  if (typeof one === 'string') return one;
  const offered = field?.possibleValues ?? [];
  if (field?.inJson === 'flag') return one ? (offered[0] ?? '') : '';
  return one || (one === false && offered.includes('false')) ? String(one) : '';
}

/** No UTF-8 can hold half of a character. */
const loneSurrogate = /[\ud800-\udfff]/u;
