/** Seconds, or a date (RFC 9110, 10.2.3). In milliseconds from now. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  // To `Date.parse`, almost anything is a date: `1-`, or `2 s`.
  const date = /^[A-Z][a-z]+, .+ GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
