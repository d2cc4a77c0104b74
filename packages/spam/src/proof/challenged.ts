import type { Outcome, Submission, Values } from '@form-relay/core/index';
import { firstValue } from '@form-relay/core/kit';
import { hardness, typedNumber } from './challenge.ts';
import type { Proof } from './index.ts';

/** What the form asks of a visitor: a captcha, a harder puzzle, or a number to type for those who can do neither. */
export type ChallengeAsked = 'captcha' | 'proof_of_work' | 'number';

/** The form comes back with a challenge. */
export interface Challenged extends Outcome {
  readonly kind: 'challenged';
  readonly asks: ChallengeAsked;
  /** All visitors solve such a puzzle. */
  readonly isUsual: boolean;
  /** It came with a solution that was used before. */
  readonly isUsed: boolean;
}

interface Why {
  readonly by: string;
  readonly asks: 'captcha' | 'proof_of_work';
  readonly why: string;
  readonly isUsual?: boolean;
  readonly isUsed?: boolean;
}

export function challenged(submission: Submission, reason: Why): Challenged {
  const { by, asks, why, isUsual = false, isUsed = false } = reason;
  const proof = submission.form.provided.get('proof');
  const asked = proof && wantsNumber(proof, submission.sent) ? 'number' : asks;
  submission.addLogFields({ asks });
  const code = asked === 'captcha' ? 'challenge_captcha' : 'challenge_proof';
  const message = { code: isUsed ? 'challenge_used' : code };
  return {
    kind: 'challenged',
    status: 422,
    message,
    showsForm: true,
    by,
    why,
    asks: asked,
    isUsual,
    isUsed,
  };
}

export const isChallenged = (outcome: Outcome | undefined): outcome is Challenged =>
  outcome?.kind === 'challenged';

/**
 * A form that comes back asks for what its sender was challenged with, or has just solved. Otherwise a visitor who mistyped an
 * address would be challenged again.
 */
export function askedOf(
  proof: Proof,
  outcome: Outcome | undefined,
  sent: Values | undefined,
): ChallengeAsked | undefined {
  if (isChallenged(outcome)) return outcome.asks;
  return outcome && sent ? solvedIn(proof, sent) : undefined;
}

/** Whether somebody pressed the button beside a captcha that says so (packages/element/src/guard/guard.ts). */
const wantsNumber = ({ withoutScript, field }: Proof, sent: Values): boolean =>
  withoutScript !== 'refuse' && firstValue(sent, field) === 'number';

function solvedIn({ field, captcha }: Proof, sent: Values): ChallengeAsked | undefined {
  const solution = firstValue(sent, field);
  if (typedNumber(solution) !== undefined) return 'number';
  if (captcha?.onlyInDoubt && firstValue(sent, captcha.field) !== '') return 'captcha';
  return sizeOf(solution) >= hardness.challenged ? 'proof_of_work' : undefined;
}

/** How large the number of a puzzle could be, as its solution says: nothing of it is checked. */
const sizeOf = (solution: string) =>
  Number(/[?&]max=(\d+)&/.exec(Buffer.from(solution, 'base64').toString('latin1'))?.[1] ?? 0);
