import type { Submission } from '@form-relay/core/index';

/** Set to `true` if the sender solved a challenge. */
export const isProven = Symbol('is proven');
/** Set to `true` if the submission came with a solution that was used before. */
export const hasUsedProof = Symbol('has used proof');
/** The verdict of the spam score (`Judgment`). */
export const spamJudgment = Symbol('spam judgment');
/** `all`: a feature vouches for a program, so checks for browsers are skipped. `dropping`: skips only checks that silently drop. */
export const passes = Symbol('passes');
/** Set to a reason to doubt the submission, in the owner's words, whatever the signals find. */
export const suspicion = Symbol('suspicion');
/** Whether to skip a check for browsers. */
export const isExcused = (submission: Submission, isDropping: boolean): boolean => {
  const passed = submission.getState(passes);
  return passed === 'all' || (isDropping && passed === 'dropping');
};
