/**
 * The lines of the journal: JSON, a line each, without a value that a visitor wrote (docs/journal.md). Files are named
 * `<day>-<process>.jsonl`, with the day in UTC; in buckets `<day>/<process>-<number>.jsonl`, one for each group of lines.
 */

export type JournalLine = SubmissionLine | DeliveryLine;

/** Written when the submission was answered. */
export interface SubmissionLine {
  readonly kind: 'submission';
  /** When it was received: RFC 3339, in UTC with milliseconds; like all times here. */
  readonly at: string;
  readonly id: string;
  readonly form: string;
  /** The kind of its `Outcome`, such as `held` until its address is confirmed; `kept` if no output took it at once, and `aside` if it was set aside and delivered. */
  readonly result: string;
  readonly ms: number;
  /** When its address was confirmed by a link in a mail (double opt-in); `ms` counts from then. */
  readonly confirmed_at?: string;
  /** What dropped or refused it: the name of a check. */
  readonly by?: string;
  /** Why, in words for the owner. */
  readonly reason?: string;
  readonly doubt?: {
    readonly score: number;
    readonly action?: string;
    readonly signals: Readonly<Record<string, number>>;
    /** Earlier submissions of the form that it is much like: how many, the time of the first, and the ids of the latest. */
    readonly similar?: { readonly count: number; readonly since: string; readonly ids: readonly string[] };
  };
  /** Restored by a person after it was dropped or set aside. */
  readonly restored?: true;
  readonly deliveries?: readonly JournalDelivery[];
}

/** One that ended after the answer: a kept one's next try, or one that a person asked for. */
export interface DeliveryLine extends JournalDelivery {
  readonly kind: 'delivery';
  /** When it ended. */
  readonly at: string;
  readonly id: string;
  readonly form: string;
  /** From the submission. */
  readonly age_ms?: number;
  /** A person asked for it: `now`, a kept one; `again`, one under a new key. */
  readonly asked?: 'now' | 'again';
}

export interface JournalDelivery {
  /** The index in the form's `outputs`. */
  readonly output: number;
  readonly type: string;
  /** `waiting`: it stays kept. `aside`: kept, until its owner acts. */
  readonly result: 'delivered' | 'failed' | 'kept' | 'skipped' | 'waiting' | 'aside' | 'deleted';
  readonly attempts?: number;
  readonly ms?: number;
  readonly reason?: string;
}

/** Where the journal is written: a folder of this machine, or a bucket. */
export type JournalPlace =
  /** `name`: as the config has it, like that of a bucket. */
  | { readonly kind: 'folder'; readonly name: string; readonly path: string }
  /** `prefix` is empty, or has a slash at its end. */
  | { readonly kind: 's3'; readonly name: string; readonly bucket: string; readonly prefix: string };

/** The `journal` of a config. */
export interface JournalKey {
  readonly in: JournalPlace;
  /** How long files in a folder stay. */
  readonly forMs: number;
}
