import type { CaptchaEvidence, ProofEvidence } from '../../base/event.ts';
import { after, type Soon } from '../../base/soon.ts';
import type { Submission } from '../../base/submission.ts';
import { firstValue } from '../../base/values.ts';
import type { Proof } from '../../form.ts';
import { captcha } from '../captcha_check.ts';
import type { CheckContext, Examined } from '../check.ts';
import { readToken } from '../token.ts';
import { answerFor, hardness } from './challenge.ts';
import { readSolution } from './solution.ts';
import { typedNumber } from './typed_number.ts';

/**
 * Whether the sender took the trouble that the form asks for. What is missing, wrong or used comes back with a new puzzle:
 * nothing is dropped for it (D110). Without FORM_TOKEN_SECRET it fails closed.
 */
export function proof(submission: Submission, context: CheckContext): Soon<Examined> {
  const { form, settings, memory } = context;
  const asked = form.proof;
  if (!asked) throw new Error('the form asks for no proof');
  if (settings.formTokenSecret === '') return ended('no_secret', { kind: 'no_token_secret' });
  const { when } = asked;
  const { client } = submission;
  const uncount = when === 'auto' ? memory.pressure.count(form.id, client) : undefined;
  const needed =
    when === 'always' ? hardness.usual : when === 'auto' ? memory.pressure.sizeFor(form.id, client) : 0;
  const judged = (found: Found) => judge(found, { asked, needed, mustProve: submission.mustProve, uncount });
  return after(findProof(asked, submission, context), judged);
}

interface Asked {
  readonly asked: Proof;
  /** How large a number is asked of everybody; 0, where none is. */
  readonly needed: number;
  readonly mustProve: boolean | undefined;
  readonly uncount: (() => void) | undefined;
}

function judge(found: Found, { asked, needed, mustProve, uncount }: Asked): Examined {
  const { withoutScript, challenge } = asked;
  const { code, isProven, captcha } = found;
  // Whoever began before it grew has done enough with half.
  const isEnough = found.size * 2 >= needed && found.size > 0;
  const evidence: ProofEvidence = {
    check: 'proof',
    code: found.size > 0 && !(mustProve ? isProven : isEnough) ? 'too_easy' : code,
    ...(captcha && { captcha }),
  };
  const undo = () => {
    uncount?.();
    found.undo?.();
  };
  if (mustProve ? isProven : isEnough) return { evidence, isProven, undo };
  // What is not enough may be sent once more, where it is; and its sender stays counted.
  found.undo?.();
  const isUsed = code === 'used';
  if (mustProve) return { evidence, ending: { kind: 'challenged', by: 'proof', asks: challenge, isUsed } };
  // What is wrong says nothing against a sender of whom nothing was asked.
  if (needed === 0) return passed('not_needed');
  if (code === 'missing' && withoutScript === 'allow') return passed('without_script');
  if (code === 'missing' && withoutScript === 'refuse') return ended(code, { kind: 'script_needed' });
  return {
    evidence,
    ending: { kind: 'challenged', by: 'proof', asks: 'proof_of_work', isUsual: true, isUsed },
  };

  function passed(code: ProofEvidence['code']): Examined {
    return { evidence: { check: 'proof', code }, isUsed, ...(uncount && { undo: uncount }) };
  }
}

const ended = (code: ProofEvidence['code'], ending: Examined['ending']): Examined => ({
  evidence: { check: 'proof', code },
  ...(ending && { ending }),
});

/** What came with a submission. */
interface Found {
  readonly code: ProofEvidence['code'];
  /** Of the puzzle that was solved: how large its number could be. 0, where nothing was. */
  readonly size: number;
  /** Whether it is what those are asked for who are challenged. */
  readonly isProven: boolean;
  readonly captcha?: CaptchaEvidence;
  readonly undo?: () => void;
}

function findProof(proof: Proof, submission: Submission, context: CheckContext): Soon<Found> {
  const tokenField = proof.challenge === 'captcha' ? context.form.captcha?.tokenField : undefined;
  return tokenField === undefined || firstValue(submission.values, tokenField) === ''
    ? findSolution(proof, submission, context)
    : findCaptcha(proof, submission, context);
}

async function findCaptcha(proof: Proof, submission: Submission, context: CheckContext): Promise<Found> {
  const { evidence, ending } = await captcha.examine(submission, context, nothingBefore);
  if (!ending) return { code: 'captcha_solved', size: Infinity, isProven: true };
  const other = await findSolution(proof, submission, context);
  return { ...other, ...(other.size === 0 && { captcha: evidence as CaptchaEvidence }) };
}

/** Counts each solution once. */
function findSolution(
  { field, tokenField, ttlMs, challenge, withoutScript }: Proof,
  { values, receivedAt }: Submission,
  { form, settings, memory }: CheckContext,
): Soon<Found> {
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

  function once(key: string, found: Found): Soon<Found> {
    const name = `${form.id}\0${key}`;
    return after(memory.proofs.use(name), (isFirst) =>
      isFirst ? { ...found, undo: () => memory.proofs.giveBack(name) } : bad('used'),
    );
  }
}

const nothingBefore = { files: new Map(), isProven: false, isUsed: false };

const bad = (code: ProofEvidence['code']): Found => ({ code, size: 0, isProven: false });
