/** How far the clock is ahead, such as `1 day 2 h 15 min`. */
export function aheadInWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const parts = [
    [Math.floor(minutes / 1_440), 'day'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const;
  const words = parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit === 'day' && count > 1 ? 'days' : unit}`);
  return words.join(' ') || 'less than a minute';
}
