import type { Effects } from '../effects.ts';
import type { Form, Submission, Values } from '../form.ts';
import type { Outcome } from '../outcome.ts';
import type { Settings } from '../settings.ts';

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

/** The first value of a field that is not empty; empty when there is none. */
export const firstValue = (values: Values, field: string): string =>
  values.get(field)?.find((value) => value !== '') ?? '';
