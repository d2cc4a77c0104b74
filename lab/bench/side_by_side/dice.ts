/** Throws that follow from a request's number, so that both builds get the same request. */
export interface Dice {
  /** With this probability. */
  chance(probability: number): boolean;
  /** A whole number from 0 to below this. */
  below(most: number): number;
  pick<T>(list: readonly T[]): T;
}

/** mulberry32. */
export function diceOf(id: number): Dice {
  let state = Math.imul(id + 1, 0x9e3779b1);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number) => Math.floor(next() * most);
  return {
    chance: (probability) => next() < probability,
    below,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
  };
}
