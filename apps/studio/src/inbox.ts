import { confirmLink } from '@form-relay/dry-run/dry_run';
import type { SubmissionReport } from '@form-relay/dry-run/report';
import { endingOf, nowhere } from './ending.ts';
import type { StoryState } from './state.ts';

/** Limits, because the page shows them all. */
const mostStories = 100;
const mostCharacters = 5_000_000;

export interface Entry {
  /** The position in the order of answers, from 1. */
  readonly number: number;
  readonly story: SubmissionReport;
  /** Milliseconds since the epoch. */
  readonly answeredAt: number;
  /** The size of the report as JSON. */
  readonly characters: number;
}

/** The latest submissions of this run, in memory; the newest answer first. */
export class Inbox {
  #entries: readonly Entry[] = [];
  #last = 0;

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** The number of the oldest report; of the next one, if there is none. */
  get oldest(): number {
    return this.#entries.at(-1)?.number ?? this.#last + 1;
  }

  /** All later reports have a higher number; 0 before the first. */
  get latest(): number {
    return this.#last;
  }

  add(story: SubmissionReport, answeredAt: number): Entry {
    this.#last += 1;
    const number = this.#last;
    const entry = { number, story, answeredAt, characters: JSON.stringify(story).length };
    this.#entries = [entry, ...this.#entries].slice(0, mostStories);
    let characters = 0;
    // The newest report stays, however large it is.
    const tooMany = this.#entries.findIndex((one, index) => {
      characters += one.characters;
      return index > 0 && characters > mostCharacters;
    });
    if (tooMany > 0) this.#entries = this.#entries.slice(0, tooMany);
    return entry;
  }

  clear(): void {
    this.#entries = [];
  }
}

/** Something that pages learn of at once. */
export interface StudioEvent {
  readonly type: 'hello' | 'story' | 'busy' | 'changed' | 'cleared';
  /** For `story`: the report's number, which a page that lost its connection sends back. */
  readonly id?: number;
  readonly data: unknown;
}

export const storyEvent = (entry: Entry): StudioEvent => ({
  type: 'story',
  id: entry.number,
  data: {
    number: entry.number,
    answeredAt: entry.answeredAt,
    story: { ...entry.story, says: nowhere(entry.story) ?? entry.story.says },
    ending: endingOf(entry.story),
    link: confirmLink(entry.story),
  } satisfies StoryState,
});
