/** A span of time for people: `1.5 s`, `10 min`, `2 h`. */
export function timeInWords(ms: number): string {
  if (ms >= 3_600_000) return `${round(ms / 3_600_000)} h`;
  return ms >= 120_000 ? `${round(ms / 60_000)} min` : `${round(ms / 1_000)} s`;
}

const round = (amount: number) => Math.round(amount * 10) / 10;
