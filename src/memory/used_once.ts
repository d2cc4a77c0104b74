/** What counts once, until it would not count anyway. */
export interface UsedOnce {
  /** Whether it was not used before; from now on it was. `until`: milliseconds since the epoch. */
  use(key: string, until: number): boolean;
  /** It was not used after all. */
  giveBack(key: string): void;
}

/** Some 15 MB. */
const mostRemembered = 100_000;

/** Beyond what it remembers, it forgets those first that were used first. */
export function createUsedOnce(now: () => number): UsedOnce {
  const used = new Map<string, number>();
  return {
    use(key, until) {
      if (used.has(key)) return false;
      const at = now();
      for (const [oldest, expiresAt] of used) {
        if (expiresAt > at && used.size < mostRemembered) break;
        used.delete(oldest);
      }
      used.set(key, until);
      return true;
    },
    giveBack: (key) => void used.delete(key),
  };
}
