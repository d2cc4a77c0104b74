import { ClientError, failed } from '../../base/client_error.ts';
import type { Effects, HttpAnswer } from '../../base/effects.ts';
import type { CaptchaEvidence } from '../../base/event.ts';
import type { Submission } from '../../base/submission.ts';
import { firstValue } from '../../base/values.ts';
import type { Found, Passage } from '../../form.ts';
import { scopeOf } from '../../schema/template/scope.ts';
import { withoutVerdict } from './explain_captcha.ts';
import { type Captcha, errorCodes, readVerdict, refusesSecret, type Verdict } from './provider.ts';

/** For each try; less when the submission has less time left. */
const timeoutMs = 5_000;

/** Between two tries. */
const waitMs = 500;

/**
 * Asks the provider about the token (SPEC: Submission rules 3). Fails closed: when there is no verdict, the visitor
 * gets a 400 that says so, and the owner a log line that says why.
 */
export async function verifyCaptcha(
  captcha: Captcha,
  { form, submission, effects }: Pick<Passage, 'form' | 'submission' | 'effects'>,
): Promise<Found & { readonly evidence: CaptchaEvidence }> {
  const found = await judge(captcha, form.id, submission, effects);
  const { provider, tokenField: field } = captcha;
  const evidence: CaptchaEvidence = { check: 'captcha', provider, field, ...found };
  if (found.passes) return { evidence };
  const isUnverified = withoutVerdict.has(found.code);
  return { evidence, ending: { kind: 'captcha_failed', ...(isUnverified && { isUnverified }) } };
}

interface Verified extends Pick<CaptchaEvidence, 'code' | 'codes' | 'score' | 'error'> {
  readonly passes?: true;
}

async function judge(
  captcha: Captcha,
  formId: string,
  submission: Submission,
  effects: Effects,
): Promise<Verified> {
  const token = firstValue(submission.values, captcha.tokenField);
  if (token === '') return { code: 'token_missing' };
  const secret = captcha.secret.render(scopeOf(formId, submission, effects));
  let verdict: Verdict;
  try {
    if (secret === '') throw failed('captcha_secret_empty');
    verdict = await ask(captcha, { secret, response: token }, submission, effects);
  } catch (error) {
    return { code: error instanceof ClientError ? 'unverified' : 'internal_error', error };
  }
  const isAccepted = verdict.success === true && captcha.accepts(verdict);
  const codes = errorCodes(verdict);
  const score = typeof verdict.score === 'number' ? verdict.score : undefined;
  // A provider that takes any secret for a while says so beside its verdict.
  if (refusesSecret(codes)) return { code: 'secret_refused', codes, ...(isAccepted && { passes: true }) };
  if (isAccepted) return { code: 'accepted', passes: true, score };
  if (verdict.success === true)
    return score === undefined ? { code: 'no_score' } : { code: 'score_too_low', score };
  return { code: 'refused', codes, score };
}

/** The provider's verdict; one retry where that cannot burn the token. Throws a `ClientError` without one. */
async function ask(
  { verifyUrl, isIdempotent }: Captcha,
  parameters: Readonly<Record<string, string>>,
  submission: Submission,
  { http, now, sleep, uuid }: Effects,
): Promise<Verdict> {
  const body = new URLSearchParams(parameters);
  if (submission.senderAddress) body.set('remoteip', submission.senderAddress);
  if (isIdempotent) body.set('idempotency_key', uuid());
  const leftMs = () => submission.deadline - now();
  const post = () =>
    http({
      url: verifyUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
      timeoutMs: Math.max(1, Math.min(timeoutMs, leftMs())),
    });
  const first = await post().catch((error: unknown) => {
    if (error instanceof ClientError && (isIdempotent || error.isUnsent)) return undefined;
    throw error;
  });
  if (first && !(isIdempotent && isTemporary(first))) return verdictOf(first);
  await sleep(Math.max(0, Math.min(waitMs, leftMs())));
  return verdictOf(await post());
}

/** Whether the provider itself has trouble: it says so, or its verdict is incomplete. */
const isTemporary = ({ status, body, isCut }: HttpAnswer): boolean => {
  const verdict = readVerdict(body);
  return (
    status >= 500 || isCut === true || verdict === undefined || errorCodes(verdict).includes('internal-error')
  );
};

function verdictOf({ status, body, isCut, unknownCoding: coding }: HttpAnswer): Verdict {
  if (status < 200 || status > 299) throw failed('captcha_status', { status });
  if (isCut) throw failed('captcha_verdict_cut');
  const verdict = readVerdict(body);
  if (!verdict && coding !== undefined) throw failed('captcha_verdict_coded', { coding });
  if (!verdict) throw failed('captcha_without_verdict');
  return verdict;
}
