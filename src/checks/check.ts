import type { Effects } from '../effects.ts';
import type { CheckEvidence, CheckName } from '../event.ts';
import type { Form } from '../form.ts';
import type { Outcome } from '../outcome.ts';
import type { Settings } from '../settings.ts';
import type { Submission } from '../submission.ts';

/** What every check may look at. */
export interface CheckContext {
  readonly form: Form;
  readonly settings: Settings;
  readonly effects: Effects;
}

export interface Check {
  readonly name: CheckName;
  /** The key of a form that switches it on, such as `spam.honeypot`. */
  readonly key: string;
  /** Whether the form asks for it. */
  isOn(form: Form): boolean;
  examine(submission: Submission, context: CheckContext): Examined | Promise<Examined>;
}

/** What a check found. Without an `ending` the submission passes. */
export interface Examined {
  readonly evidence: CheckEvidence;
  readonly ending?: Outcome;
}
