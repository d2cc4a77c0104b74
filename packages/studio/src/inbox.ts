import type { Story } from '@form-relay/relay/telling';

/** How many submissions are kept, and how large they may be together, in characters: pages have to show them all. */
const most = 100;
const mostCharacters = 5_000_000;

export interface Entry {
  /** Counts from 1 since the start, so that a page can say which ones it has. */
  readonly number: number;
  readonly story: Story;
  /** Counts on from there with each story that goes on. */
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly answeredAt: number;
  readonly characters: number;
}

/** The submissions of this run, in memory, in the order of their answers, the newest first. */
export class Inbox {
  #entries: readonly Entry[] = [];
  #last = 0;

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** The version of what changed last; 0 when there never was anything. */
  get last(): number {
    return this.#last;
  }

  /** The number of the oldest that is kept, or will be. */
  get oldest(): number {
    return this.#entries.at(-1)?.number ?? this.#last + 1;
  }

  add(story: Story, answeredAt: number): Entry {
    this.#last += 1;
    const number = this.#last;
    const entry = { number, story, version: number, answeredAt, characters: JSON.stringify(story).length };
    this.#entries = [entry, ...this.#entries].slice(0, most);
    let characters = 0;
    // The newest stays, however large it is.
    const tooMany = this.#entries.findIndex((one, index) => {
      characters += one.characters;
      return index > 0 && characters > mostCharacters;
    });
    if (tooMany > 0) this.#entries = this.#entries.slice(0, tooMany);
    return entry;
  }

  /** The story goes on; `undefined` where it is not here any more. */
  goOn(story: Story): Entry | undefined {
    const before = this.#entries.find((one) => one.story.id === story.id);
    if (!before) return undefined;
    this.#last += 1;
    const entry = { ...before, story, version: this.#last };
    this.#entries = this.#entries.map((one) => (one === before ? entry : one));
    return entry;
  }

  clear(): void {
    this.#entries = [];
  }
}
