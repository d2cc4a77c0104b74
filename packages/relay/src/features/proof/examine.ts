import { timingSafeEqual } from 'node:crypto';
import { clientOf } from '../../base/client.ts';
import type { CaptchaEvidence, ProofEvidence } from '../../base/event.ts';
import { after, type Soon } from '../../base/soon.ts';
import { firstValue, maxValueBytes } from '../../base/values.ts';
import type { Found, Passage } from '../../form.ts';
import type { Path } from '../../schema/finding.ts';
import { verifyCaptcha } from '../captcha/captcha.ts';
import type { Captcha } from '../captcha/provider.ts';
import { readToken } from '../form_token/token.ts';
import { answerFor, hardness, hashOf, signatureOf, typedNumber } from './challenge.ts';

/** How a visitor's browser proves that it took some trouble. */
export interface Proof {
  readonly askedBy: { readonly key: Path; readonly isAtTop: boolean };
  /** `asked`: only of those who are challenged. */
  readonly when: 'always' | 'auto' | 'asked';
  /** The hidden field with the solution. */
  readonly field: string;
  /** The token that carries the puzzle, which is the min-fill token where the form has one. */
  readonly tokenField: string;
  /** How long a solution counts. */
  readonly ttlMs: number;
  /** The task for challenged visitors. */
  readonly challenge: 'captcha' | 'proof_of_work';
  /** The treatment of a submission without a solution. */
  readonly withoutScript: 'allow' | 'challenge' | 'refuse';
}

/**
 * Whether the sender took the trouble that the form asks for. What is missing, wrong or used comes back with a new puzzle:
 * nothing is dropped for it. Without FORM_TOKEN_SECRET it fails closed.
 *
 * @param captcha The form's, if those who are challenged may solve that instead.
 */
export function examineProof(asked: Proof, captcha: Captcha | undefined, passage: Passage): Soon<Found> {
  const { form, settings, memory, world, mustProve } = passage;
  if (settings.formTokenSecret === '') return ended('no_secret', { kind: 'no_token_secret' });
  const { when } = asked;
  const client = when === 'auto' ? clientOf(world.request, settings) : undefined;
  const uncount = when === 'auto' ? memory.pressure.count(form.id, client) : undefined;
  const needed =
    when === 'always' ? hardness.usual : when === 'auto' ? memory.pressure.sizeFor(form.id, client) : 0;
  const judged = (proven: Proven) => judge(proven, { asked, needed, mustProve, uncount });
  return after(findProof(asked, captcha, passage), judged);
}

interface Asked {
  readonly asked: Proof;
  /** How large a number is asked of everybody; 0, where none is. */
  readonly needed: number;
  readonly mustProve: boolean | undefined;
  readonly uncount: (() => void) | undefined;
}

function judge(found: Proven, { asked, needed, mustProve, uncount }: Asked): Found {
  const { withoutScript, challenge } = asked;
  const { code, isProven, captcha } = found;
  // Half is enough for visitors who began before the size grew.
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
  // A solution that is not enough may be used again elsewhere; its sender stays counted.
  found.undo?.();
  const isUsed = code === 'used';
  if (mustProve) return { evidence, ending: { kind: 'challenged', by: 'proof', asks: challenge, isUsed } };
  // A wrong solution doesn't count against a sender who was not asked for one.
  if (needed === 0) return passed('not_needed');
  if (code === 'missing' && withoutScript === 'allow') return passed('without_script');
  if (code === 'missing' && withoutScript === 'refuse') return ended(code, { kind: 'script_needed' });
  return {
    evidence,
    ending: { kind: 'challenged', by: 'proof', asks: 'proof_of_work', isUsual: true, isUsed },
  };

  function passed(code: ProofEvidence['code']): Found {
    return { evidence: { check: 'proof', code }, isUsed, ...(uncount && { undo: uncount }) };
  }
}

const ended = (code: ProofEvidence['code'], ending: Found['ending']): Found => ({
  evidence: { check: 'proof', code },
  ...(ending && { ending }),
});

/** The solution that came with a submission. */
interface Proven {
  readonly code: ProofEvidence['code'];
  /** The upper limit of the solved puzzle's number; 0 without a solution. */
  readonly size: number;
  /** Whether it is what those are asked for who are challenged. */
  readonly isProven: boolean;
  readonly captcha?: CaptchaEvidence;
  readonly undo?: () => void;
}

const findProof = (asked: Proof, captcha: Captcha | undefined, passage: Passage): Soon<Proven> =>
  captcha === undefined || firstValue(passage.submission.values, captcha.tokenField) === ''
    ? findSolution(asked, passage)
    : findCaptcha(asked, captcha, passage);

async function findCaptcha(asked: Proof, captcha: Captcha, passage: Passage): Promise<Proven> {
  const { evidence, ending } = await verifyCaptcha(captcha, passage);
  if (!ending) return { code: 'captcha_solved', size: Infinity, isProven: true };
  const other = await findSolution(asked, passage);
  return { ...other, ...(other.size === 0 && { captcha: evidence }) };
}

/** Counts each solution once. */
function findSolution(
  { field, tokenField, ttlMs, challenge, withoutScript }: Proof,
  { submission: { values, receivedAt }, form, settings, memory }: Passage,
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
    if (!memory.proofs.use(name)) return bad('used');
    return { ...found, undo: () => memory.proofs.giveBack(name) };
  }
}

const bad = (code: ProofEvidence['code']): Proven => ({ code, size: 0, isProven: false });

/** Why a solution does not count, or what it proves. */
type Solved =
  | { readonly code: 'malformed' | 'forged' | 'wrong' | 'other_form' | 'expired' }
  | {
      readonly code: 'solved';
      /** How large the number could be. */
      readonly most: number;
      /** Names the puzzle. */
      readonly signature: string;
    };

/**
 * The signature is looked at first, in constant time: only what this relay made is looked at further. It binds the
 * challenge, which is a hash of salt and number, and with the salt its form, its end and its size.
 */
export function readSolution(secret: string, formId: string, payload: string, now: number): Solved {
  const sent = payload.length <= maxValueBytes ? parse(payload) : undefined;
  if (!sent) return { code: 'malformed' };
  const { challenge, salt, number, signature } = sent;
  const isSigned = timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(secret, challenge)));
  if (!isSigned) return { code: 'forged' };
  if (hashOf(salt, number) !== challenge) return { code: 'wrong' };
  const parameters = new URLSearchParams(salt.slice(salt.indexOf('?') + 1));
  if (parameters.get('form') !== formId) return { code: 'other_form' };
  if (!(Number(parameters.get('expires')) * 1_000 > now)) return { code: 'expired' };
  return { code: 'solved', most: Number(parameters.get('max')), signature };
}

interface Sent {
  readonly challenge: string;
  readonly salt: string;
  readonly number: number;
  readonly signature: string;
}

function parse(payload: string): Sent | undefined {
  let sent: Partial<Record<string, unknown>>;
  try {
    sent = JSON.parse(Buffer.from(payload, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof sent !== 'object' || sent === null) return undefined;
  const { algorithm, challenge, salt, number, signature } = sent;
  if (algorithm !== 'SHA-256' || !isHash(challenge) || !isHash(signature)) return undefined;
  if (typeof salt !== 'string' || !salt.endsWith('&')) return undefined;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) return undefined;
  return { challenge, salt, number, signature };
}

const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
