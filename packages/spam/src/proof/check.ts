import { chain } from '@form-relay/base/maybe_promise';
import { firstValue } from '@form-relay/base/values';
import type { Middleware, Outcome, Submission, Values } from '@form-relay/core/index';
import { isFinal, noTokenSecret } from '@form-relay/core/submission';
import { readToken } from '../form_token.ts';
import { hasUsedProof, isExcused, isProven as isProvenState } from '../state.ts';
import { answerFor, hardness, proofField, readSolution, typedNumber } from './challenge.ts';
import type { Proof } from './index.ts';
import type { UsedOnce } from './markup.ts';

/** The form is shown again with a puzzle, and with a number to type if the browser cannot solve it. */
export interface Challenged extends Outcome {
  readonly kind: 'challenged';
  /** All visitors of the form solve such a puzzle. */
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
  outcome?.kind === 'challenged' && !asksCaptchaIn(outcome);

export const asksCaptchaIn = ({ json = {} }: Outcome): boolean => 'captcha' in json;

/**
 * A form that is shown again includes a challenge if its sender was challenged or had solved one. Otherwise a
 * visitor who solved it but mistyped an address would be challenged a second time.
 */
export const asksIn = (outcome: Outcome | undefined, sent: Values | undefined): boolean =>
  isChallenged(outcome) || (outcome !== undefined && sent !== undefined && isSolvedIn(sent));

function isSolvedIn(sent: Values): boolean {
  const solution = firstValue(sent, proofField);
  return typedNumber(solution) !== undefined || sizeOf(solution) >= hardness.challenged;
}

/** The upper limit of a puzzle's number, as its solution claims. Unverified. */
const sizeOf = (solution: string) =>
  Number(/[?&]max=(\d+)&/.exec(Buffer.from(solution, 'base64').toString('latin1'))?.[1] ?? 0);

const words = {
  solved: 'the puzzle is solved',
  answered: 'the question is answered',
  not_needed: 'no puzzle is required',
  missing: 'there is no solution: the form was sent without its script',
  malformed: 'the solution is malformed',
  forged: 'the puzzle was not issued by this relay with this FORM_TOKEN_SECRET',
  wrong: 'the solution is wrong',
  other_form: 'the solution is for another form',
  expired: 'the solution is too old (form_ttl)',
  used: 'the solution was already used',
  too_easy: 'the solution is for an easier puzzle than required',
} as const;
type Code = keyof typeof words;

/** The solution sent with a submission. */
interface Proven {
  readonly code: Code;
  /** The upper limit of the solved puzzle's number; 0 without a solution. */
  readonly size: number;
  /** Whether it meets the difficulty for challenged visitors. */
  readonly isProven: boolean;
  readonly undo?: () => void;
}

/**
 * Whether the sender did the work that the form asks for. A missing, wrong or used solution shows the form
 * again with a new puzzle and never drops a submission. Without FORM_TOKEN_SECRET it fails closed.
 */
export const checkProof =
  (proof: Proof, used: UsedOnce): Middleware =>
  (next) =>
  (submission) => {
    if (isExcused(submission, false)) return next(submission);
    if (submission.settings.formTokenSecret === '') return noTokenSecret;
    const found = findSolution(proof, submission, used);
    const refusal = judge(found, proof, submission);
    if (refusal) return refusal;
    return chain(next(submission), (outcome) => {
      if (!isFinal(outcome)) found.undo?.();
      return outcome;
    });
  };

/** `undefined`: the submission passes. */
function judge(found: Proven, { isForAll }: Proof, submission: Submission): Outcome | undefined {
  const { code, isProven, size } = found;
  const isUsed = code === 'used';
  if (size > 0 && (!isForAll || size >= hardness.usual)) {
    if (isProven) submission.setState(isProvenState, true);
    submission.trace?.note(words[code]);
    return undefined;
  }
  // A solution that is too easy here may still be used elsewhere.
  found.undo?.();
  if (isForAll)
    return challenged({ by: 'proof', isUsual: true, isUsed, why: size > 0 ? words.too_easy : words[code] });
  // A wrong solution doesn't count against a sender who needed none.
  if (isUsed) submission.setState(hasUsedProof, true);
  submission.trace?.note(words.not_needed);
  return undefined;
}

/** @param used The solutions already used. */
function findSolution(
  { formToken: { field, ttlMs } }: Proof,
  { sent: values, receivedAt, form, settings }: Submission,
  used: UsedOnce,
): Proven {
  const secret = settings.formTokenSecret;
  const sent = firstValue(values, proofField).trim();
  const typed = typedNumber(sent);
  if (sent === '') return bad('missing');
  if (typed !== undefined) {
    const token = firstValue(values, field);
    const issued = readToken(secret, form.id, token);
    if (!issued) return bad('forged');
    if (receivedAt - issued.issuedAt > ttlMs) return bad('expired');
    if (answerFor(secret, form.id, token) !== typed) return bad('wrong');
    return once(token, { code: 'answered', size: Infinity, isProven: true });
  }
  const solved = readSolution(secret, form.id, sent, receivedAt);
  if (solved.code !== 'solved') return bad(solved.code);
  const { most, signature } = solved;
  return once(signature, { code: 'solved', size: most, isProven: most >= hardness.challenged });

  function once(key: string, found: Proven): Proven {
    const name = `${form.id}\0${key}`;
    if (!used.use(name)) return bad('used');
    return { ...found, undo: () => used.giveBack(name) };
  }
}

const bad = (code: Code): Proven => ({ code, size: 0, isProven: false });
