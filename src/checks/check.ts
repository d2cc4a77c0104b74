import type { Effects } from '../effects.ts';
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

/** Lets a submission pass, with `undefined`, or ends it. */
export type Check = (
  submission: Submission,
  context: CheckContext,
) => Outcome | undefined | Promise<Outcome | undefined>;
