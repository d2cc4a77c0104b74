import { hash } from 'node:crypto';

/** Counts the actions of each client within a window of time. */
export interface Rates {
  /**
   * Counts one more action and returns a function that takes it back. Above `most`, returns the milliseconds
   * until there is room.
   */
  take(key: string, limit: Rate): { readonly undo: () => void } | { readonly waitMs: number };
}

export interface Rate {
  readonly most: number;
  readonly withinMs: number;
}

/** The times of each client, in milliseconds since the epoch, earliest first. */
type Moments = Map<string, readonly number[]>;

/** The limits of each half. With both halves full and five moments per client, they take 30 MB. */
const mostClients = 100_000;
const mostMoments = 500_000;

/**
 * Keeps clients in the younger half. When that is full, or older than the longest window, it becomes the older half, and the
 * former older half is dropped as a whole. Removing clients one by one would take a search, which a flood could exploit.
 */
export function createRates(now: () => number): Rates {
  let young: Moments = new Map();
  let old: Moments = new Map();
  /** The number of moments in the younger half. */
  let moments = 0;
  let since = -Infinity;
  let longestMs = 0;

  const grow = (at: number, withinMs: number) => {
    longestMs = Math.max(longestMs, withinMs);
    if (at - since < longestMs && young.size < mostClients && moments < mostMoments) return;
    [old, young, moments, since] = [young, new Map(), 0, at];
  };
  const keep = (key: string, kept: readonly number[]) => {
    moments += kept.length - (young.get(key)?.length ?? 0);
    young.set(key, kept);
  };
  const momentsOf = (key: string) => young.get(key) ?? old.get(key) ?? none;
  const giveBack = (key: string, at: number) => {
    const kept = momentsOf(key);
    const index = kept.lastIndexOf(at);
    if (index >= 0) keep(key, kept.toSpliced(index, 1));
  };
  return {
    take(name, { most, withinMs }) {
      const key = shortened(name);
      const at = now();
      grow(at, withinMs);
      // If the clock was set back, a client must not wait longer than the window.
      const recent = momentsOf(key).filter((moment) => moment > at - withinMs && moment <= at);
      const oldest = recent.at(-most);
      if (oldest === undefined) {
        keep(key, recent.concat(at));
        return { undo: () => giveBack(key, at) };
      }
      // Otherwise a flood would create a new array for each request.
      if (young.get(key)?.length !== recent.length) keep(key, recent.slice());
      return { waitMs: oldest + withinMs - at };
    },
  };
}

const none: readonly number[] = [];

/** Hashes long keys (form ids and addresses) to short ones. */
const shortened = (key: string) => hash('sha256', key, 'base64').slice(0, 12);
