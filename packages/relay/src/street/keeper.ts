import type { DeliveryError, Listener } from '../base/event.ts';
import type { Result } from '../base/result.ts';
import type { Checked } from '../base/submission.ts';
import type { Form } from '../form.ts';

/** Keeps what outputs owe, and delivers it later (D69). */
export interface Keeper {
  /** Resolves when all that is owed is kept for good, or with why it is not. Never rejects. */
  keep(task: KeepTask): Promise<Result<Keeping, DeliveryError>>;
}

export interface KeepTask {
  /** In its first language, which its outputs speak. It has `keep`. */
  readonly form: Form;
  readonly submission: Checked;
  readonly owed: readonly Owed[];
  readonly tell: Listener;
  /** Whether the process goes on after the answer. */
  readonly livesOn: boolean;
}

/** What an output owes. */
export interface Owed {
  /** Its place in the form's `outputs`, from 0. */
  readonly output: number;
  /** Why it has not got the submission; `undefined` where it was not tried. */
  readonly why: DeliveryError | undefined;
}

/** What was kept. */
export interface Keeping {
  /** When it is tried, where the relay does that by itself. */
  readonly dueAt?: number | undefined;
  /** Delivers what was not tried yet, where this process is to do that. Never rejects. */
  readonly deliver?: (() => Promise<void>) | undefined;
}
