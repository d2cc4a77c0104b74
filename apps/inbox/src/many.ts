/** JSON about many submissions at once, and what is learned from them; api.ts has the addresses. */
import type { ActionRequest, Counts } from './api.ts';

export type Mark = 'spam' | 'ham';

/** Why submissions need a look: how many, and what helps. */
export interface Reason {
  readonly form: string;
  /** For `Query`. */
  readonly reason: string;
  readonly count: number;
  /** In words, such as `Mailbox full at mx.example.org`. */
  readonly says: string;
  /** The owner's next step, as a sentence without its full stop. */
  readonly remedy: string;
  /** When the oldest was kept. */
  readonly since?: number | undefined;
  /** Until when the relay tries the oldest again; absent if it does not. */
  readonly until?: number | undefined;
}

/** An action on each of several submissions. `deliver`: on all of its kept deliveries. */
export type RunRequest =
  | Extract<ActionRequest, { action: 'again' | 'restore' | 'mark' }>
  | { readonly action: 'deliver' };

/** Work on several submissions, which goes on without the page. */
export interface Run {
  readonly action: RunRequest['action'];
  readonly mark?: Mark | undefined;
  readonly state: 'running' | 'done' | 'cancelled' | 'undone';
  /** Submissions; for `deliver`, deliveries. */
  readonly of: number;
  readonly done: number;
  readonly failed: number;
  /** Not tried: cancelled before, or their output failed many times in a row. */
  readonly left: number;
  /** Why some failed, in words, the most frequent first. */
  readonly reasons: readonly { readonly words: string; readonly count: number }[];
  readonly canUndo: boolean;
}

/** Each entry of the choice is in one of the counts. */
export interface Numbers {
  readonly received: number;
  readonly first?: number | undefined;
  readonly last?: number | undefined;
  readonly forms: readonly { readonly id: string; readonly counts: Counts }[];
  /** For each of the days that were asked for. */
  readonly days: readonly Counts[];
}

/** The answers to one field, summed up. */
export type Answers = {
  readonly name: string;
  readonly label: string;
  /** How many submissions have a value. */
  readonly answered: number;
} & (
  | {
      readonly kind: 'choice';
      readonly bars: readonly Bar[];
      readonly others: number;
      readonly mean?: number | undefined;
    }
  | {
      readonly kind: 'number';
      readonly marks: Readonly<Record<'least' | 'lower' | 'median' | 'upper' | 'most' | 'mean', number>>;
      readonly bars: readonly Bar[];
    }
  | { readonly kind: 'date'; readonly bars: readonly Bar[] }
  | {
      readonly kind: 'grid';
      readonly columns: readonly string[];
      readonly rows: readonly { readonly label: string; readonly counts: readonly number[] }[];
    }
  | {
      readonly kind: 'text';
      readonly newest: readonly { readonly id: string; readonly value: string }[];
      readonly words: readonly Bar[];
    }
  | { readonly kind: 'files'; readonly files: number }
);

export interface Bar {
  readonly label: string;
  readonly count: number;
}

/** The answers of a form that were read by now. */
export interface Summary {
  readonly of: number;
  readonly read: number;
  readonly sealed: number;
  /** Nothing of their values is stored, or it cannot be read. */
  readonly unreadable: number;
  readonly isDone: boolean;
  readonly fields: readonly Answers[];
}

/** A model of spam that a config names, and what the inbox teaches it. */
export interface LearnedModel {
  /** As the config names it. */
  readonly name: string;
  /** The forms that name it. Their marks are its lessons. */
  readonly forms: readonly string[];
  /** Submissions marked by now, without sealed ones. `newer`: since the model was made. */
  readonly marks: { readonly spam: number; readonly ham: number; readonly newer: number };
  /** The model in use; absent if it cannot be read. */
  readonly made?:
    | {
        readonly at: number;
        readonly spam: number;
        readonly ham: number;
        /** How many newer spams and people it was tried on, and how many of each got points. */
        readonly tried: number;
        readonly caught: number;
        readonly people: number;
        readonly reached: number;
        /** The share of other people who may get points, with 95 % certainty. */
        readonly mostOfOthers: number;
      }
    | undefined;
  readonly isLearning: boolean;
  /** In words: why nothing is learned here at all, or why the last try wrote nothing. */
  readonly why?: string | undefined;
  /** Whether this person may ask for it. */
  readonly mayLearn: boolean;
}

/** How much of the places was listed. */
export interface Progress {
  readonly done: number;
  /** Unknown until all places were listed. */
  readonly of?: number | undefined;
}

export interface Change {
  readonly version: number;
  readonly total: number;
  readonly unread: number;
}
