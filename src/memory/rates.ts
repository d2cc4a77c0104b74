/** Counts what each client did within a window of time. */
export interface Rates {
  /** Counts one more, and gives what takes it back; or, beyond `most`, in how many milliseconds there is room again. */
  take(key: string, limit: RateLimit): { readonly undo: () => void } | { readonly waitMs: number };
}

export interface RateLimit {
  readonly most: number;
  readonly withinMs: number;
}

/** How many moments are remembered, of all clients together: some 10 MB. */
const mostMoments = 100_000;

/** Beyond what it remembers, it forgets those first who came longest ago. */
export function createRates(now: () => number): Rates {
  /** When each client came, the latest last; the client who came last is the last. */
  const moments = new Map<string, number[]>();
  let remembered = 0;
  return {
    take(key, { most, withinMs }) {
      const at = now();
      const before = moments.get(key) ?? [];
      // A clock that was set back makes nobody wait longer than the window.
      const recent = before.filter((moment) => moment > at - withinMs && moment <= at);
      remembered += recent.length - before.length;
      moments.delete(key);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= most) {
        moments.set(key, recent);
        return { waitMs: oldest + withinMs - at };
      }
      recent.push(at);
      remembered += 1;
      moments.set(key, recent);
      for (const [other, theirs] of moments) {
        if (remembered <= mostMoments) break;
        moments.delete(other);
        remembered -= theirs.length;
      }
      return {
        undo: () => {
          const kept = moments.get(key);
          const place = kept?.lastIndexOf(at) ?? -1;
          if (!kept || place < 0) return;
          kept.splice(place, 1);
          remembered -= 1;
          if (kept.length === 0) moments.delete(key);
        },
      };
    },
  };
}
