import type { Retry } from '../base/client_error.ts';

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
