import type { Effects } from '../effects.ts';
import type { CheckEvidence, CheckName } from '../event.ts';
import type { Files } from '../files.ts';
import type { Form } from '../form.ts';
import type { Outcome } from '../outcome.ts';
import type { Settings } from '../settings.ts';
import type { Submission } from '../submission.ts';
import type { Values } from '../values.ts';

/** What every check may look at. */
export interface CheckContext {
  readonly form: Form;
  readonly settings: Settings;
  readonly effects: Effects;
}

export interface Check {
  readonly name: CheckName;
  /** The key of a form that asks for it, such as `spam.honeypot`. */
  readonly key: string;
  isOn(form: Form): boolean;
  /** `files`: those that the checks before this one took. */
  examine(submission: Submission, context: CheckContext, files: Files): Examined | Promise<Examined>;
}

/** What a check found. Without an `ending` the submission passes. */
export interface Examined {
  readonly evidence: CheckEvidence;
  readonly ending?: Outcome;
  /** What the outputs may have. Only validation says so. */
  readonly accepted?: { readonly values: Values; readonly files: Files };
}
