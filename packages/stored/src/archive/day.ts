/** From its first millisecond up to that of the next, in UTC; milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const dayMs = 86_400_000;

/** `undefined` for a day that no calendar has. */
export function daySpan(year: string, month: string, day: string): Span | undefined {
  const from = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  // 30 February is read as 2 March.
  const isReal = !Number.isNaN(from) && new Date(from).getUTCDate() === Number(day);
  return isReal ? { from, to: from + dayMs } : undefined;
}

/** `month` from `01` to `12`. */
export function monthSpan(year: string, month: string): Span {
  const from = Date.parse(`${year}-${month}-01T00:00:00Z`);
  return { from, to: new Date(from).setUTCMonth(Number(month)) };
}

export const yearSpan = (year: string): Span => ({
  from: monthSpan(year, '01').from,
  to: monthSpan(year, '12').to,
});
