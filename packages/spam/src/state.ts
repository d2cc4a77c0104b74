import type { Submission } from '@form-relay/core/index';

/** State of a submission that the checks of this package share. */

/** Set to `true`: its sender solved a challenge. */
export const isProven = Symbol('is proven');
/** Set to `true`: it came with a solution that was used before. */
export const hasUsedProof = Symbol('has used proof');
/** The verdict of the spam score (`Judgment`). */
export const spamJudgment = Symbol('spam judgment');
/** Set to `all` by a feature that vouches for a program: no check for browsers is needed; to `dropping`: none that drops in silence. */
export const passes = Symbol('passes');
/** Set to a reason to doubt it, in the owner's words, whatever the signals say. */
export const suspicion = Symbol('suspicion');
/** Whether a check for browsers is not needed. */
export const isExcused = (submission: Submission, isDropping: boolean): boolean => {
  const passed = submission.getState(passes);
  return passed === 'all' || (isDropping && passed === 'dropping');
};
