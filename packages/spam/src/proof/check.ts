import type { Middleware, Outcome, Submission } from '@form-relay/core/index';
import { chain, firstValue, isFinal, noTokenSecret, readToken } from '@form-relay/core/kit';
import { hasUsedProof, isProven as isProvenState, mustProve } from '../states.ts';
import { answerFor, hardness, readSolution, typedNumber } from './challenge.ts';
import { challenged } from './challenged.ts';
import type { Proof } from './index.ts';
import type { UsedOnce } from './memory.ts';

const words = {
  solved: 'the puzzle is solved',
  answered: 'the question is answered',
  not_needed: 'no puzzle is asked for',
  without_script: 'there is no solution, which the form takes (without_script: allow)',
  missing: 'there is no solution: it was sent without the form’s script',
  malformed: 'what stands in the place of the solution is none',
  forged: 'the puzzle was not made by this relay with this FORM_TOKEN_SECRET',
  wrong: 'the solution is wrong',
  other_form: 'the solution is for another form',
  expired: 'the solution is too old (form_ttl)',
  used: 'the solution was sent before',
  too_easy: 'the solution is for an easier puzzle than the one asked for',
  captcha_solved: 'the captcha is solved',
} as const;
type Code = keyof typeof words;

/** The solution that came with a submission. */
interface Proven {
  readonly code: Code;
  /** Why a captcha is not solved. */
  readonly why?: string | undefined;
  /** The upper limit of the solved puzzle's number; 0 without a solution. */
  readonly size: number;
  /** Whether it is what challenged visitors are asked for. */
  readonly isProven: boolean;
  readonly undo?: () => void;
}

const scriptNeeded: Outcome = {
  kind: 'script_needed',
  status: 403,
  message: { code: 'script_needed' },
  by: 'proof',
  why: words.missing,
};

/**
 * Whether the sender took the trouble that the form asks for. What is missing, wrong or used comes back with a new puzzle:
 * nothing is dropped for it. Without FORM_TOKEN_SECRET it fails closed.
 */
export const checkProof =
  (proof: Proof, used: UsedOnce): Middleware =>
  (next) =>
  (submission) => {
    if (submission.settings.formTokenSecret === '') return noTokenSecret;
    const needed = proof.isForAll ? hardness.usual : 0;
    return chain(findProof(proof, submission, used), (found) => {
      const refusal = judge(found, proof, needed, submission);
      if (refusal) return refusal;
      return chain(next(submission), (outcome) => {
        if (!isFinal(outcome)) found.undo?.();
        return outcome;
      });
    });
  };

/** `undefined`: it passes. */
function judge(found: Proven, proof: Proof, needed: number, submission: Submission): Outcome | undefined {
  const { code, isProven, size } = found;
  const isDemanded = submission.getState(mustProve) === true;
  const isEnough = size >= needed && size > 0;
  if (isDemanded ? isProven : isEnough) {
    if (isProven) submission.setState(isProvenState, true);
    submission.trace?.note(words[code]);
    return undefined;
  }
  // A solution that is not enough may be used again elsewhere.
  found.undo?.();
  const isUsed = code === 'used';
  const why = size > 0 ? words.too_easy : (found.why ?? words[code]);
  if (isDemanded) return challenged(submission, { by: 'proof', asks: proof.challenge, isUsed, why });
  const isMissing = code === 'missing';
  // A wrong solution doesn't count against a sender who was not asked for one.
  if (needed === 0 || (isMissing && proof.withoutScript === 'allow')) {
    if (isUsed) submission.setState(hasUsedProof, true);
    submission.trace?.note(needed === 0 ? words.not_needed : words.without_script);
    return undefined;
  }
  if (isMissing && proof.withoutScript === 'refuse') return scriptNeeded;
  return challenged(submission, { by: 'proof', asks: 'proof_of_work', isUsual: true, isUsed, why });
}

/** @param used Counts each solution once. */
function findProof(proof: Proof, submission: Submission, used: UsedOnce): Proven | Promise<Proven> {
  const { captcha } = proof;
  const maySolve = proof.challenge === 'captcha' && captcha;
  if (!maySolve || firstValue(submission.sent, captcha.field) === '')
    return findSolution(proof, submission, used);
  return captcha.verify(submission).then((refused): Proven => {
    if (!refused) return { code: 'captcha_solved', size: Infinity, isProven: true };
    const other = findSolution(proof, submission, used);
    return { ...other, ...(other.size === 0 && { why: refused.why }) };
  });
}

function findSolution(
  { field, tokenField, ttlMs, challenge, withoutScript }: Proof,
  { sent: values, receivedAt, form, settings }: Submission,
  used: UsedOnce,
): Proven {
  const secret = settings.formTokenSecret;
  const sent = firstValue(values, field).trim();
  const typed = typedNumber(sent);
  if (sent === '') return bad('missing');
  if (typed !== undefined) {
    const token = firstValue(values, tokenField);
    const issued = readToken(secret, form.id, token);
    if (!issued) return bad('forged');
    if (receivedAt - issued.issuedAt > ttlMs) return bad('expired');
    if (withoutScript === 'refuse' || answerFor(secret, form.id, token) !== typed) return bad('wrong');
    return once(token, { code: 'answered', size: Infinity, isProven: true });
  }
  const solved = readSolution(secret, form.id, sent, receivedAt);
  if (solved.code !== 'solved') return bad(solved.code);
  const { most, signature } = solved;
  const isHard = most >= hardness.challenged && challenge === 'proof_of_work';
  return once(signature, { code: 'solved', size: most, isProven: isHard });

  function once(key: string, found: Proven): Proven {
    const name = `${form.id}\0${key}`;
    if (!used.use(name)) return bad('used');
    return { ...found, undo: () => used.giveBack(name) };
  }
}

const bad = (code: Code): Proven => ({ code, size: 0, isProven: false });
