import { confirmLink } from '@form-relay/dry-run/dry_run';
import type { SubmissionReport } from '@form-relay/dry-run/report';
import { endingOf, nowhere } from './answers.ts';
import type { ReportState } from './state.ts';

/** Bounded, because the page shows all of them. */
const mostReports = 100;
const mostCharacters = 5_000_000;

export interface Entry {
  /** Reports are numbered in the order of answers, from 1. */
  readonly number: number;
  readonly report: SubmissionReport;
  /** Milliseconds since the epoch. */
  readonly answeredAt: number;
  /** The size of the report as JSON. */
  readonly characters: number;
}

/** The latest submissions since the start, in memory, the newest answer first. */
export class Inbox {
  entries: readonly Entry[] = [];
  /** Later reports have higher numbers; 0 before the first. */
  latest = 0;

  /** The number of the oldest report; if there is none, that of the next one. */
  get oldest(): number {
    return this.entries.at(-1)?.number ?? this.latest + 1;
  }

  add(report: SubmissionReport, answeredAt: number): Entry {
    this.latest += 1;
    const entry = { number: this.latest, report, answeredAt, characters: JSON.stringify(report).length };
    let characters = 0;
    // The newest report is kept, however large it is.
    this.entries = [entry, ...this.entries].slice(0, mostReports).filter((one, index) => {
      characters += one.characters;
      return index === 0 || characters <= mostCharacters;
    });
    return entry;
  }
}

/** An event that pages receive immediately. */
export interface StudioEvent {
  readonly type: 'hello' | 'report' | 'busy' | 'changed' | 'cleared' | 'served';
  /** For `report`: its number, which a page sends back when it reconnects. */
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
