import { firstValue } from '@form-relay/base/values';
import type { Outcome, Values } from '@form-relay/core/index';
import { hardness, proofField, typedNumber } from './challenge.ts';

/** The form comes back with a puzzle, and with a number to type for those whose browser solves none. */
export interface Challenged extends Outcome {
  readonly kind: 'challenged';
  /** All visitors solve such a puzzle. */
  readonly isUsual: boolean;
  /** The solution was used before. */
  readonly isUsed: boolean;
}

export const challenged = (
  reason: Pick<Challenged, 'isUsed'> & Partial<Pick<Challenged, 'isUsual'>> & { by: string; why: string },
): Challenged => ({
  isUsual: false,
  ...reason,
  kind: 'challenged',
  status: 422,
  message: { code: reason.isUsed ? 'challenge_used' : 'challenge_proof' },
  showsForm: true,
});

export const isChallenged = (outcome: Outcome | undefined): outcome is Challenged =>
  outcome?.kind === 'challenged';

/**
 * A form that comes back asks for a challenge if its sender was challenged, or has just solved one. Otherwise a visitor who mistyped
 * an address would be challenged again.
 */
export const asksIn = (outcome: Outcome | undefined, sent: Values | undefined): boolean =>
  isChallenged(outcome) || (outcome !== undefined && sent !== undefined && isSolvedIn(sent));

function isSolvedIn(sent: Values): boolean {
  const solution = firstValue(sent, proofField);
  return typedNumber(solution) !== undefined || sizeOf(solution) >= hardness.challenged;
}

/** How large the number of a puzzle could be, as its solution says: nothing of it is checked. */
const sizeOf = (solution: string) =>
  Number(/[?&]max=(\d+)&/.exec(Buffer.from(solution, 'base64').toString('latin1'))?.[1] ?? 0);
