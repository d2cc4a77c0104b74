import { confirmLink } from '@form-relay/dry-run/dry_run';
import type { SubmissionReport } from '@form-relay/dry-run/report';
import { endingOf, nowhere } from './answers.ts';
import type { ReportState } from './state.ts';

/** Limits, because the page shows them all. */
const mostReports = 100;
const mostCharacters = 5_000_000;

export interface Entry {
  /** The position in the order of answers, from 1. */
  readonly number: number;
  readonly report: SubmissionReport;
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

  add(report: SubmissionReport, answeredAt: number): Entry {
    this.#last += 1;
    const number = this.#last;
    const entry = { number, report, answeredAt, characters: JSON.stringify(report).length };
    this.#entries = [entry, ...this.#entries].slice(0, mostReports);
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
  readonly type: 'hello' | 'report' | 'busy' | 'changed' | 'cleared' | 'served';
  /** For `report`: the report's number, which a page that lost its connection sends back. */
  readonly id?: number;
  readonly data: unknown;
}

export const reportEvent = (entry: Entry): StudioEvent => ({
  type: 'report',
  id: entry.number,
  data: {
    number: entry.number,
    answeredAt: entry.answeredAt,
    report: { ...entry.report, says: nowhere(entry.report) ?? entry.report.says },
    ending: endingOf(entry.report),
    link: confirmLink(entry.report),
  } satisfies ReportState,
});
