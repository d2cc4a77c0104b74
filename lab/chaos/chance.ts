/** Reproducible randomness: the same seed and arguments give the same number in every process. */
export function chance(...parts: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const part of parts) {
    hash = Math.imul(hash ^ part, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return (hash >>> 0) / 2 ** 32;
}

/** From `least` up to `most`. */
export const between = (least: number, most: number, at: number): number => least + (most - least) * at;

/** Picks an item with a probability proportional to its weight; `at` is at least 0 and less than 1. */
export function choose<T extends { readonly weight: number }>(ways: readonly T[], at: number): T {
  let left = at * ways.reduce((sum, { weight }) => sum + weight, 0);
  for (const way of ways) {
    left -= way.weight;
    if (left < 0) return way;
  }
  return ways.at(-1) as T;
}
