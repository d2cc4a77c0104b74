import { noFiles } from '../base/files.ts';
import type { Refusal } from '../base/outcome.ts';
import { err, ok, type Result } from '../base/result.ts';
import { jsonPointer } from './json_pointer.ts';
import type { Sent, Typed } from './sent.ts';

const malformed = err({ code: 'json_malformed' } as const);

/**
 * Reads a JSON object (RFC 8259) of text, numbers, `true`, `false`, `null`, and lists of these. A number keeps its text,
 * since JavaScript would round a long one. A repeated name is malformed: readers differ on which value counts.
 */
export function parseJsonBody(body: Uint8Array, fields: readonly Typed[]): Result<Sent, Refusal> {
  const all = readMembers(body);
  if (!all) return malformed;
  const values = new Map<string, readonly string[]>();
  const lists = new Map<string, readonly number[]>();
  /** By the names of values: the member that had them. */
  const members = new Map<string, string>();
  for (let at = 0; at < all.length; at += 2) {
    const name = all[at] as string;
    const member = all[at + 1];
    const parts = fields.find((one) => one.name === name)?.parts;
    const problem = parts
      ? parts.spread(member).map(([part, some]) => add(part, some, name))
      : [add(name, member, name)];
    for (const one of problem) if (one) return one;
  }
  return ok({ values, files: noFiles, lists });

  /** Adds the values of a field, or returns what is wrong with them. `sentAs`: the member that has them. */
  function add(name: string, member: unknown, sentAs: string): Result<never, Refusal> | undefined {
    const other = members.get(name);
    if (other === sentAs) return malformed;
    if (other !== undefined) return err({ code: 'json_twice', params: { pointer: jsonPointer(name) } });
    members.set(name, sentAs);
    const isList = Array.isArray(member);
    const field = typedOf(name, fields);
    const found: string[] = [];
    for (const one of isList ? member : [member]) {
      if (typeof one === 'object' && one !== null) {
        const pointer = isList && name === sentAs ? jsonPointer(name, found.length) : jsonPointer(sentAs);
        return err({ code: 'json_too_deep', params: { pointer } });
      }
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

const typedOf = (name: string, fields: readonly Typed[]): Typed | undefined =>
  fields.find((one) => one.name === name) ??
  fields.flatMap(({ parts }) => parts?.all ?? []).find((one) => one.name === name);

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
