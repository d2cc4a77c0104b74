import type { Story } from '../dry_run/story.ts';

/** How many submissions are kept. */
const most = 100;

export interface Entry {
  /** Counts from 1 since the start, so that a page can say which ones it has. */
  readonly number: number;
  readonly story: Story;
}

/** The submissions of this run, in memory, the newest first. */
export class Inbox {
  #entries: readonly Entry[] = [];
  #last = 0;

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** The number of the newest; 0 when there never was one. */
  get last(): number {
    return this.#last;
  }

  add(story: Story): Entry {
    this.#last += 1;
    const entry = { number: this.#last, story };
    this.#entries = [entry, ...this.#entries].slice(0, most);
    return entry;
  }

  clear(): void {
    this.#entries = [];
  }
}
