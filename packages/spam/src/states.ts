/** State of a submission that the checks of this package share. */

/** Set to `true`: its sender solved a challenge. */
export const isProven = Symbol('is proven');
/** Set to `true`: it came with a solution that was used before. */
export const hasUsedProof = Symbol('has used proof');
/** The verdict of the spam score (`Judgment`). */
export const spamJudgment = Symbol('spam judgment');
