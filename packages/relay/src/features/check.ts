import type { Effects } from '../base/effects.ts';
import type { CheckEvidence, CheckName } from '../base/event.ts';
import type { Files } from '../base/files.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Submission } from '../base/submission.ts';
import type { Values } from '../base/values.ts';
import type { Form } from '../form.ts';
import type { Memory } from '../memory/memory.ts';
import type { Settings } from '../schema/settings/settings.ts';

/** What every check may look at. */
export interface CheckContext {
  readonly form: Form;
  readonly settings: Settings;
  readonly effects: Effects;
  readonly memory: Memory;
}

export interface Check {
  readonly name: CheckName;
  /** The key of a form that asks for it, such as `spam.honeypot`. */
  readonly key: string;
  isOn(form: Form): boolean;
  examine(submission: Submission, context: CheckContext, before: Before): Examined | Promise<Examined>;
}

/** What the checks before this one found. */
export interface Before {
  /** Those that validation took. */
  readonly files: Files;
  /** Whether its sender has done what a challenge asks for (D71). */
  readonly isProven: boolean;
  /** Whether what it came with was sent before. */
  readonly isUsed: boolean;
  /** How long filling in took, if that was too fast and the form doubts it (`too_fast: doubt`). Milliseconds. */
  readonly tooFastMs?: number | undefined;
}

/** What a check found. Without an `ending` the submission passes. */
export interface Examined {
  readonly evidence: CheckEvidence;
  readonly ending?: Outcome;
  /** What the outputs may have. Only validation says so. */
  readonly accepted?: { readonly values: Values; readonly files: Files };
  /** What outputs get beside that: names that no visitor can send (doubt.ts). */
  readonly marks?: Values;
  /** Its sender has done what a challenge asks for. */
  readonly isProven?: boolean;
  /** What it came with was sent before, and has not come back since. */
  readonly isUsed?: boolean;
  /** It was filled in too fast, in so many milliseconds, which the form doubts. */
  readonly tooFastMs?: number;
  /** Takes back what it counted: the submission comes again. */
  readonly undo?: () => void;
}
