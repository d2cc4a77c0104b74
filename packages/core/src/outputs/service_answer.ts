import type { Retry } from '../base/client_error.ts';

/**
 * The form of an error code in a service's answer, such as `invalid_payload` or `50035`. Texts are never logged, since
 * they can repeat submitted values.
 */
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

/** The value at a path of keys, or `undefined`. */
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

/** Temporary failures: RFC 9110, 15.5.9 and 15.6; RFC 8470; RFC 6585. */
const passingStatuses = [408, 425, 429, 502, 503, 504];

/** Whether a retry may help, after `waitMs` if the server said so. A 429 without a time would only be repeated. */
export function retryOf(status: number, waitMs: number | undefined): Retry {
  if (!passingStatuses.includes(status)) return {};
  return { retryAfterMs: waitMs ?? (status === 429 ? undefined : 0) };
}

/** The header `Retry-After`: seconds, or a date (RFC 9110, 10.2.3). In milliseconds from now. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  // `Date.parse` takes almost anything for a date, such as `1-` or `2 s`.
  const date = /^[A-Z][a-z]+, .+ GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
