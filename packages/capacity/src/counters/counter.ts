import { timedOut } from '@form-relay/stores/failures';
import type { Counts, Versioned } from '@form-relay/stores/store';
import {
  corrected,
  isAwaited,
  noTally,
  type Reservation,
  type Reserving,
  readTally,
  released,
  reserved,
  settled,
  type Tally,
  withdrawn,
  withHead,
  withoutHead,
  writeTally,
} from './tally.ts';

/** How long a visitor waits for the store. */
const timeoutMs = 5_000;

/** How long a read counts as recent. */
const recentMs = 1_000;
/** How long a page with a form waits to learn how many places are left. */
const patienceMs = 1_000;
/** How often to check whether other submissions are settled. */
const pauseMs = 200;
const mostRecent = 1_000;
/** How many tallies to cache, and the length of the longest one. */
const mostRead = 500;
const longestRead = 32_000;

const nothing = writeTally(noTally);

/** Throws a `ClientError` if the text is damaged or was written by a newer relay. */
export const readStored = (key: string, { text }: Pick<Versioned, 'text'>): Tally =>
  readTally(key, withoutHead(key, text));

/** A change of a tally. `make` may be called several times. */
interface Change {
  readonly make: (tally: Tally) => Tally;
  readonly resolve: (tally: Tally) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Counts exactly, even if several processes share the store: if another process writes first, the change is
 * repeated on its version. Methods reject with a `ClientError`.
 */
export class Counter {
  /** Changes in the queue, by key. */
  readonly #waiting = new Map<string, Change[]>();
  /** Tallies by key, each with the text that it was parsed from. */
  readonly #read = new Map<string, { readonly text: string; readonly tally: Tally }>();
  readonly #recent = new Map<string, { readonly at: number; readonly tally: Promise<Tally> }>();

  constructor(
    readonly store: Counts,
    private readonly now: () => number,
  ) {}

  async reserve(key: string, wanted: Reservation): Promise<Reserving> {
    const until = performance.now() + (wanted.waitMs ?? 0);
    for (;;) {
      let full: Reserving['full'] = [];
      const tally = await this.#change(key, (before) => {
        const result = reserved(before, wanted, this.now());
        full = result.full;
        return result.tally;
      });
      if (performance.now() + pauseMs > until || !isAwaited(tally, full, this.now())) return { tally, full };
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  /** Makes the reservation with this id permanent. */
  async settle(key: string, id: string): Promise<void> {
    await this.#change(key, (tally) => settled(tally, id, this.now()));
  }

  /** Frees the reservation with this id, unless it is settled. Resolves with whether there was one. */
  async release(key: string, id: string): Promise<boolean> {
    let isThere = false;
    await this.#change(key, (tally) => {
      isThere = tally.open.has(id);
      return released(tally, id);
    });
    return isThere;
  }

  /** @param isRecent Whether a result up to a second old will do. */
  async read(key: string, isRecent = false): Promise<Tally> {
    if (!isRecent) return readStored(key, await this.store.read(key, timeoutMs));
    const at = performance.now();
    const known = this.#recent.get(key);
    if (known && at - known.at < recentMs) return known.tally;
    const tally = this.store.read(key, patienceMs).then((stored) => readStored(key, stored));
    if (this.#recent.size >= mostRecent) this.#recent.clear();
    this.#recent.set(key, { at, tally });
    return tally;
  }

  /** Takes back what a submission took under these keys. */
  withdraw(key: string, id: string, of: readonly string[]): Promise<Tally> {
    return this.#change(key, (tally) => withdrawn(tally, id, of));
  }

  /** Sets the count, without open reservations. Resolves with the new tally. */
  correct(key: string, of: string, taken: number): Promise<Tally> {
    return this.#change(key, (tally) => corrected(tally, of, taken, this.now()));
  }

  /**
   * Changes a text that is not a tally. `make` is called again if others have written in the meantime; it
   * returns its argument if nothing changes.
   */
  async change(key: string, make: (text: string | undefined) => string | undefined): Promise<void> {
    const until = performance.now() + timeoutMs;
    const restMs = () => Math.ceil(until - performance.now());
    for (let tries = 0; ; tries += 1) {
      if (restMs() <= 0) timedOut(timeoutMs);
      const recalled = tries === 0 ? this.store.recall?.(key) : undefined;
      const read = recalled ?? (await this.store.read(key, restMs()));
      const before = withoutHead(key, read.text);
      const text = make(before);
      if (text === undefined || text === before) {
        if (!recalled) return;
        continue;
      }
      if (await this.store.write(key, withHead(text), read, Math.max(1, restMs()))) return;
      // Jitter, because other processes write the same key.
      const ms = 1 + Math.random() * 4 * Math.min(tries + 1, 10);
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }

  #change(key: string, make: Change['make']): Promise<Tally> {
    return new Promise((resolve, reject) => {
      const change = { make, resolve, reject };
      const queue = this.#waiting.get(key);
      if (queue) queue.push(change);
      else {
        this.#waiting.set(key, [change]);
        void this.#work(key);
      }
    });
  }

  /** Makes all waiting changes in one write; later changes go into the next one. */
  async #work(key: string): Promise<void> {
    for (;;) {
      const changes = this.#waiting.get(key) ?? [];
      this.#waiting.set(key, []);
      try {
        const tally = await this.#makeAll(key, changes);
        for (const { resolve } of changes) resolve(tally);
      } catch (error) {
        for (const { reject } of changes) reject(error);
      }
      if (this.#waiting.get(key)?.length === 0) {
        this.#waiting.delete(key);
        return;
      }
    }
  }

  async #makeAll(key: string, changes: readonly Change[]): Promise<Tally> {
    let after = noTally;
    await this.change(key, (text) => {
      const known = this.#read.get(key);
      const before = known && known.text === text ? known.tally : readTally(key, text);
      after = changes.reduce((tally, { make }) => make(tally), before);
      const written = writeTally(after);
      if (this.#read.size >= mostRead) this.#read.clear();
      if (written.length <= longestRead) this.#read.set(key, { text: written, tally: after });
      return written === (text ?? nothing) ? text : written;
    });
    // A visitor who gets the form back must see the effect of the submission.
    if (this.#recent.has(key))
      this.#recent.set(key, { at: performance.now(), tally: Promise.resolve(after) });
    return after;
  }
}

/** Counts in memory, for dry runs. */
export function createMemoryCounts(): Counts {
  const texts = new Map<string, { readonly text: string; readonly version: string }>();
  return {
    read: async (key) => texts.get(key) ?? { text: undefined, version: '0' },
    write: async (key, text, { version }) => {
      if ((texts.get(key)?.version ?? '0') !== version) return false;
      texts.set(key, { text, version: String(Number(version) + 1) });
      return true;
    },
    remove: async (key) => {
      texts.delete(key);
    },
  };
}
