/** JSON helpers: numbers, pointers, responses of services, and values of fields. */

/** Parses a number; `undefined` if JSON would change it, such as an id of 20 digits or a fraction with too many decimals. */
export function jsonNumber(text: string): number | undefined {
  const value = Number(text);
  const isHeld = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isHeld && digitsOf(text) === digitsOf(String(value)) ? value : undefined;
}

/** Normalizes a decimal: `25e-1` for `2.50` and for `0.25e1`. */
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

/**
 * The pattern of error codes, such as `invalid_payload` or `50035`. Free text is never logged, because it can
 * repeat submitted values.
 */
const codeForm = /^[\w.:/-]{1,64}$/;

/**
 * Reads a service's own error code from its response. `undefined` for anything else.
 *
 * @param at Keys with dots between them, such as `error.code`; in a list, an index. Empty: the whole body is the code.
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

/** Parses a JSON object; `undefined` for anything else. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
}

/** The values that a field stores for a JSON value. `true` checks a checkbox. */
export function fromJson(
  { offered }: { readonly offered?: readonly string[] | undefined },
  value: unknown,
): readonly string[] {
  if (value === true) return [offered?.[0] ?? 'true'];
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.filter((one) => typeof one === 'string' || typeof one === 'number').map(String);
}

/** Parses a stored structure; `undefined` for other text, which may have been stored under another config. */
export function structureIn(stored: string): object | undefined {
  try {
    const value: unknown = JSON.parse(stored);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
