import type { MaybePromise } from './base/maybe_promise.ts';
import type { Outcome } from './outcome.ts';
import type { Middleware, Submission } from './submission.ts';

/** Middleware that only decides: `undefined` continues, an outcome ends the submission. */
export const guard =
  (check: (submission: Submission) => MaybePromise<Outcome | undefined>): Middleware =>
  (next) =>
  (submission) => {
    const end = check(submission);
    if (end instanceof Promise) return end.then((one) => one ?? next(submission));
    return end ?? next(submission);
  };

/** Middleware that only looks at the outcome, and may replace it. */
export const onOutcome =
  (look: (outcome: Outcome, submission: Submission) => MaybePromise<Outcome>): Middleware =>
  (next) =>
  (submission) => {
    const ending = next(submission);
    return ending instanceof Promise
      ? ending.then((outcome) => look(outcome, submission))
      : look(ending, submission);
  };
