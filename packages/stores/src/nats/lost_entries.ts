import type { Services } from '@form-relay/core/index';
import { foreignIn } from '../entry.ts';
import type { Entries, Found } from './entries.ts';

/** An entry that was due this long ago, and that the consumer does not hand out, is lost to it: its server crashed. */
const forgottenMs = 600_000;

/** How often to look for lost entries. */
const searchMs = 600_000;

/** How many lost entries are rewritten at once. */
const mostRewritten = 64;

/** A jump of the clock that is no drift. */
const clockJumpMs = 30_000;

/** Finds entries that the consumer has lost, and has them rewritten, so that it hands them out. */
export class LostEntries {
  /** Whether a search has found more than was rewritten. */
  isSearching = false;
  #searchAt = 0;
  /** The clock minus the monotonic clock. */
  #aheadMs: number;

  /** @param rewrite Makes them due at that time. Resolves with whether any was free. */
  constructor(
    private readonly entries: Entries,
    private readonly now: Services['now'],
    private readonly rewrite: (some: readonly Found[], dueAt: number) => Promise<boolean>,
  ) {
    this.#aheadMs = now() - performance.now();
  }

  async search(): Promise<void> {
    const aheadMs = this.now() - performance.now();
    const isSet = Math.abs(aheadMs - this.#aheadMs) > clockJumpMs;
    if (!isSet && performance.now() < this.#searchAt) return;
    if (isSet || (await this.entries.hasForgotten())) {
      const since = this.now() - (isSet ? 0 : forgottenMs);
      let some: Found[] = [];
      for await (const one of this.entries.all()) {
        const { kept, mark } = one.message;
        if (mark.deadLetter === undefined && mark.dueAt < since && !foreignIn(kept)) some.push(one);
        if (some.length < mostRewritten) continue;
        // Entries are delivered before more are rewritten: with thousands of them, that takes long.
        this.isSearching = await this.rewrite(some, since);
        if (this.isSearching) return;
        some = [];
      }
      if (some.length > 0) await this.rewrite(some, since);
    }
    this.isSearching = false;
    this.#aheadMs = aheadMs;
    this.#searchAt = performance.now() + searchMs;
  }
}
