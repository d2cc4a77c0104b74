import { parseJson } from '../parse_json.ts';

/**
 * The error code that a service gives in its answer: `invalid_payload`, `error.code: 50035`. Its texts are never told,
 * since they can repeat what was submitted, so only what has the form of a code is one.
 */
const code = /^[\w.:/-]{1,64}$/;

/**
 * @param at Keys with dots between them, such as `error.code`; in a list, a place from 0. Empty: the whole answer is the
 *   code.
 */
export function serviceCode(body: string, at: string): string | undefined {
  const found = at === '' ? body.trim() : valueAt(parseJson(body), at);
  const text = typeof found === 'number' ? String(found) : found;
  return typeof text === 'string' && code.test(text) ? text : undefined;
}

/** What stands at a path of keys; `undefined` where nothing does. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const key of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return at;
}
