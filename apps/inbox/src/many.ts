/** JSON about many submissions at once, and about training models; api.ts lists the paths. */
import type { ActionRequest, Counts } from './api.ts';

export type Mark = 'spam' | 'ham';

/** Why submissions need attention: how many, and what helps. */
export interface Reason {
  readonly form: string;
  /** As in `Query`. */
  readonly reason: string;
  readonly count: number;
  /** A description, such as `Mailbox full at mx.example.org`. */
  readonly says: string;
  /** The owner's next step: a sentence without its full stop. */
  readonly remedy: string;
  /** When the oldest was queued. */
  readonly since?: number | undefined;
  /** When the relay stops retrying the oldest; absent if it does not retry. */
  readonly until?: number | undefined;
}

/** A bulk action. `deliver` acts on all queued deliveries of each submission. */
export type RunRequest =
  | Extract<ActionRequest, { action: 'again' | 'restore' | 'mark' }>
  | { readonly action: 'deliver' };

export interface Run {
  readonly action: RunRequest['action'];
  readonly mark?: Mark | undefined;
  readonly state: 'running' | 'done' | 'cancelled' | 'undone';
  /** The number of submissions, or of deliveries for `deliver`. */
  readonly of: number;
  readonly done: number;
  readonly failed: number;
  /** Not attempted: the run was cancelled, or the output failed many times in a row. */
  readonly left: number;
  /** Reasons for failures, the most frequent first. */
  readonly reasons: readonly { readonly words: string; readonly count: number }[];
  readonly canUndo: boolean;
}

/** Each matching entry is in exactly one of the counts. */
export interface Numbers {
  readonly received: number;
  readonly first?: number | undefined;
  readonly last?: number | undefined;
  readonly forms: readonly { readonly id: string; readonly counts: Counts }[];
  /** Counts for each requested day. */
  readonly days: readonly Counts[];
}

/** A summary of the answers to one field. */
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

/** The answers of a form that have been read so far. */
export interface Summary {
  readonly of: number;
  readonly read: number;
  readonly sealed: number;
  /** How many have no stored values, or cannot be read. */
  readonly unreadable: number;
  readonly isDone: boolean;
  readonly fields: readonly Answers[];
}

/** A spam model in the config, and its training in the inbox. */
export interface LearnedModel {
  /** As in the config. */
  readonly name: string;
  /** The forms that use the model. Their marks train it. */
  readonly forms: readonly string[];
  /** Submissions marked so far, without sealed ones. `newer`: since the model was trained. */
  readonly marks: { readonly spam: number; readonly ham: number; readonly newer: number };
  /** The current model; absent if it cannot be read. */
  readonly made?:
    | {
        readonly at: number;
        readonly spam: number;
        readonly ham: number;
        /** How many newer spam and genuine messages it was tested on, and how many of each got points. */
        readonly tried: number;
        readonly caught: number;
        readonly people: number;
        readonly reached: number;
        /** The highest share of genuine messages that get points, with 95% confidence. */
        readonly mostOfOthers: number;
      }
    | undefined;
  readonly isLearning: boolean;
  /** Why the model is not trained here at all, or why the last attempt wrote nothing. */
  readonly why?: string | undefined;
  /** Whether this person may start training. */
  readonly mayLearn: boolean;
}

/** Progress of listing the places. */
export interface Progress {
  readonly done: number;
  /** Unknown until all places have been listed. */
  readonly of?: number | undefined;
}

export interface Change {
  readonly version: number;
  readonly total: number;
  readonly unread: number;
}
