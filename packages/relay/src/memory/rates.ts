import { hash } from 'node:crypto';
import type { Soon } from '../base/soon.ts';

/** Counts what each client did within a window of time. */
export interface Rates {
  /** Counts one more, and gives what takes it back; or, beyond `most`, in how many milliseconds there is room again. */
  take(key: string, limit: RateLimit): Soon<Taken>;
}

export type Taken = { readonly undo: () => void } | { readonly waitMs: number };

/** Where the counting is done. */
export interface OwnRates extends Rates {
  /** `at`: when it was counted, in milliseconds since the epoch. */
  take(
    key: string,
    limit: RateLimit,
  ): { readonly undo: () => void; readonly at: number } | { readonly waitMs: number };
  /** Takes back what was counted then. */
  giveBack(key: string, at: number): void;
}

export interface RateLimit {
  readonly most: number;
  readonly withinMs: number;
}

/** When each client came, in milliseconds since the epoch, the earliest first. */
type Moments = Map<string, readonly number[]>;

/** Of each half. Full, with five moments a client, both halves together take 30 MB. */
const mostClients = 100_000;
const mostMoments = 500_000;

/**
 * Whoever comes is remembered in the younger half. When that is full, or older than the longest window, it becomes the
 * older half, and what was the older one is forgotten: those who came longest ago, at once. To forget them one by one
 * would take a search, which is what a flood would like best.
 */
export function createRates(now: () => number): OwnRates {
  let young: Moments = new Map();
  let old: Moments = new Map();
  /** Of the younger half. */
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
  const giveBack = (key: string, at: number) => {
    const kept = momentsOf(key);
    const place = kept.lastIndexOf(at);
    if (place >= 0) keep(key, kept.toSpliced(place, 1));
  };
  const momentsOf = (key: string) => young.get(key) ?? old.get(key) ?? none;
  return {
    take(asked, { most, withinMs }) {
      const key = shortened(asked);
      const at = now();
      grow(at, withinMs);
      // A clock that was set back makes nobody wait longer than the window.
      const recent = momentsOf(key).filter((moment) => moment > at - withinMs && moment <= at);
      const [oldest] = recent.slice(-most);
      if (oldest !== undefined && recent.length >= most) {
        keep(key, recent.slice());
        return { waitMs: oldest + withinMs - at };
      }
      keep(key, recent.concat(at));
      return { at, undo: () => giveBack(key, at) };
    },
    giveBack: (asked, at) => giveBack(shortened(asked), at),
  };
}

const none: readonly number[] = [];

/** Names of forms and addresses may be long. What `concat` and `slice` make has no room to spare, unlike `[...]`. */
const shortened = (key: string) => hash('sha256', key, 'base64').slice(0, 12);
