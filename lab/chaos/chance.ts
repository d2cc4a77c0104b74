/** Chance that can be repeated: the same seed and the same question give the same number, in whichever process. */
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

/** Picks an item, each as often as its weight says; `at` is from 0 up to 1. */
export function choose<T extends { readonly weight: number }>(ways: readonly T[], at: number): T {
  let left = at * ways.reduce((sum, { weight }) => sum + weight, 0);
  for (const way of ways) {
    left -= way.weight;
    if (left < 0) return way;
  }
  return ways.at(-1) as T;
}
