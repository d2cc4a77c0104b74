/** JSON as others write it: numbers, places, answers of services. */

/** The number that a text says; `undefined` where JSON would change it: an id of 20 digits, or more places than a number holds. */
export function jsonNumber(text: string): number | undefined {
  const value = Number(text);
  const isHeld = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isHeld && digitsOf(text) === digitsOf(String(value)) ? value : undefined;
}

/** `25e-1` of `2.50` and of `0.25e1`. */
function digitsOf(text: string): string {
  const [, sign = '', whole = '', places = '', exponent = '0'] =
    /^(-?)(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${places}`;
  let first = 0;
  let end = digits.length;
  while (digits[first] === '0') first += 1;
  while (end > first && digits[end - 1] === '0') end -= 1;
  if (first === end) return '0';
  return `${sign}${digits.slice(first, end)}e${Number(exponent) - places.length + digits.length - end}`;
}

/** Names a place in a JSON document: `/topics/1` (RFC 6901). */
export const jsonPointer = (...steps: readonly (string | number)[]): string =>
  steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The form of an error code, such as `invalid_payload` or `50035`. Texts are never logged: they can repeat submitted values. */
const codeForm = /^[\w.:/-]{1,64}$/;

/**
 * Reads a service's own error code from its answer. `undefined` for anything else.
 *
 * @param at Keys with dots between them, such as `error.code`; in a list, an index. Empty: the whole answer is the code.
 */
export function serviceCode(body: string, at: string): string | undefined {
  const found = at === '' ? body.trim() : valueAt(parseJson(body), at);
  const text = typeof found === 'number' ? String(found) : found;
  return typeof text === 'string' && codeForm.test(text) ? text : undefined;
}

export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const key of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return at;
}

/** Parses JSON, also after a byte order mark, which some services send. `undefined` if it is not JSON. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

/** The JSON object in an answer; `undefined` if there is none. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
}
