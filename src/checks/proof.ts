import type { CaptchaEvidence, ProofEvidence } from '../event.ts';
import type { Proof } from '../form.ts';
import type { Submission } from '../submission.ts';
import { firstValue } from '../values.ts';
import { captcha } from './captcha.ts';
import { answerFor, hardness, readSolution } from './challenge.ts';
import type { CheckContext, Examined } from './check.ts';
import { readToken } from './token.ts';

/**
 * Whether the sender took the trouble that the form asks for. What is missing, wrong or used comes back with a new puzzle:
 * nothing is dropped for it (D71). Without FORM_TOKEN_SECRET it fails closed.
 */
export async function proof(submission: Submission, context: CheckContext): Promise<Examined> {
  const { form, settings } = context;
  if (!form.proof) throw new Error('the form asks for no proof');
  if (settings.formTokenSecret === '') return ended('no_secret', { kind: 'no_token_secret' });
  const { when, withoutScript, challenge } = form.proof;
  const found = await findProof(form.proof, submission, context);
  const { code, undo, isProven, captcha } = found;
  const evidence: ProofEvidence = { check: 'proof', code, ...(captcha && { captcha }) };
  if (submission.mustProve ? isProven : found.isGood) return { evidence, isProven, undo };
  undo?.();
  if (submission.mustProve) {
    const asked: ProofEvidence = found.isGood ? { check: 'proof', code: 'too_easy' } : evidence;
    return { evidence: asked, ending: { kind: 'challenged', by: 'proof', asks: challenge } };
  }
  // What is wrong says nothing against a sender of whom nothing was asked.
  if (when !== 'always') return { evidence: { check: 'proof', code: 'not_needed' } };
  if (code === 'missing' && withoutScript === 'allow')
    return { evidence: { check: 'proof', code: 'without_script' } };
  if (code === 'missing' && withoutScript === 'refuse') return ended(code, { kind: 'script_needed' });
  return { evidence, ending: { kind: 'challenged', by: 'proof', asks: 'proof_of_work' } };
}

const ended = (code: ProofEvidence['code'], ending: Examined['ending']): Examined => ({
  evidence: { check: 'proof', code },
  ...(ending && { ending }),
});

/** What came with a submission. */
interface Found {
  readonly code: ProofEvidence['code'];
  /** Whether it is what everybody is asked for. */
  readonly isGood: boolean;
  /** Whether it is what those are asked for who are challenged. */
  readonly isProven: boolean;
  readonly captcha?: CaptchaEvidence;
  readonly undo?: (() => void) | undefined;
}

/** Counts each solution once. */
async function findProof(
  { field, tokenField, ttlMs, challenge, withoutScript }: Proof,
  submission: Submission,
  context: CheckContext,
): Promise<Found> {
  const { form, settings, memory } = context;
  const { values, receivedAt } = submission;
  if (challenge === 'captcha' && form.captcha && firstValue(values, form.captcha.tokenField) !== '') {
    const { evidence, ending } = await captcha.examine(submission, context, nothingBefore);
    const isSolved = ending === undefined;
    return {
      code: isSolved ? 'captcha_solved' : 'captcha_failed',
      isGood: isSolved,
      isProven: isSolved,
      captcha: evidence as CaptchaEvidence,
    };
  }
  const secret = settings.formTokenSecret;
  const sent = firstValue(values, field).trim();
  if (sent === '') return bad('missing');
  if (/^\d{4}$/.test(sent)) {
    const token = firstValue(values, tokenField);
    const issued = readToken(secret, form.id, token);
    if (!issued) return bad('forged');
    if (receivedAt - issued.issuedAt > ttlMs) return bad('expired');
    if (withoutScript === 'refuse' || answerFor(secret, form.id, token) !== sent) return bad('wrong');
    return once(token, issued.issuedAt + ttlMs, 'answered', true);
  }
  const solved = readSolution(secret, form.id, sent, receivedAt);
  if (solved.code !== 'solved') return bad(solved.code);
  const isHard = solved.most >= hardness.challenged;
  return once(solved.signature, solved.expiresAt, 'solved', isHard && challenge === 'proof_of_work');

  function once(key: string, until: number, code: 'solved' | 'answered', isProven: boolean): Found {
    const name = `${form.id}\0${key}`;
    return memory.proofs.use(name, until)
      ? { code, isGood: true, isProven, undo: () => memory.proofs.giveBack(name) }
      : bad('used');
  }
}

const nothingBefore = { files: new Map(), isProven: false };

const bad = (code: ProofEvidence['code']): Found => ({ code, isGood: false, isProven: false });
