import type { Retry } from '../../base/client_error.ts';

/**
 * The error codeForm that a service gives in its answer: `invalid_payload`, `error.code: 50035`. Its texts are never told,
 * since they can repeat what was submitted, so only what has the form of a codeForm is one.
 */
const codeForm = /^[\w.:/-]{1,64}$/;

/**
 * @param at Keys with dots between them, such as `error.code`; in a list, a place from 0. Empty: the whole answer is the
 *   codeForm.
 */
export function serviceCode(body: string, at: string): string | undefined {
  const found = at === '' ? body.trim() : valueAt(parseJson(body), at);
  const text = typeof found === 'number' ? String(found) : found;
  return typeof text === 'string' && codeForm.test(text) ? text : undefined;
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

/** `undefined` if it is not JSON. Some services send a byte order mark, which JSON does not allow. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

/** Statuses that say "later": RFC 9110, 15.5.9 and 15.6; RFC 8470; RFC 6585. */
const passingStatuses = [408, 425, 429, 502, 503, 504];

/** Whether another try may help, after `waitMs` if the server said so. A 429 without a time would only be repeated. */
export function retryOf(status: number, waitMs: number | undefined): Retry {
  if (!passingStatuses.includes(status)) return {};
  return { retryAfterMs: waitMs ?? (status === 429 ? undefined : 0) };
}

/** The header `Retry-After`: seconds, or a date (RFC 9110, 10.2.3). In milliseconds from now. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  // To `Date.parse`, almost anything is a date: `1-`, or `2 s`.
  const date = /^[A-Z][a-z]+, .+ GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
