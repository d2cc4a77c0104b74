import { type Captcha, errorCodes, readVerdict, refusesSecret, type Verdict } from '../captchas/provider.ts';
import { ClientError, failed } from '../client_error.ts';
import type { Effects, HttpAnswer, LogLevel } from '../effects.ts';
import type { Outcome } from '../outcome.ts';
import { stackOf } from '../stack.ts';
import type { Submission } from '../submission.ts';
import { scopeOf } from '../template/scope.ts';
import { firstValue } from '../values.ts';
import type { Check, CheckContext } from './check.ts';

/** For each try, within what the submission has left (D16). */
const timeoutMs = 5_000;

/** Between two tries. */
const waitMs = 500;

/**
 * Asks the provider about the token (SPEC: Submission rules 3). Fails closed: when no verdict can be had, the visitor
 * gets the same 400, and the operator a log line that says why (D16).
 */
export const captcha: Check = (submission, context) => {
  const { captcha } = context.form;
  return captcha && judge(captcha, submission, context);
};

async function judge(
  captcha: Captcha,
  submission: Submission,
  context: CheckContext,
): Promise<Outcome | undefined> {
  const token = firstValue(submission.values, captcha.tokenField);
  const reason = await refusal(captcha, token, submission, context);
  return reason === undefined ? undefined : { kind: 'captcha_failed', reason };
}

/** Why the submission may not pass; `undefined` when it may. The log has it, too. */
async function refusal(
  captcha: Captcha,
  token: string,
  submission: Submission,
  { form, effects }: CheckContext,
): Promise<string | undefined> {
  const log = (level: LogLevel, event: string, more: object) =>
    effects.log(level, event, {
      request_id: submission.requestId,
      form: form.id,
      provider: captcha.provider,
      ...more,
    });
  if (token === '') {
    const reason = 'the token is missing';
    log('info', 'captcha_rejected', { reason });
    return reason;
  }
  const secret = captcha.secret.render(scopeOf(form.id, submission, effects));
  try {
    if (secret === '') throw failed('captcha_secret_empty');
    const verdict = await ask(captcha, { secret, response: token }, submission, effects);
    const isAccepted = verdict.success === true && captcha.accepts(verdict);
    const codes = errorCodes(verdict);
    if (refusesSecret(codes)) {
      const reason = 'the provider does not take the secret';
      log('error', 'captcha_unverified', { reason, codes });
      return isAccepted ? undefined : reason;
    }
    if (isAccepted) return undefined;
    const score = typeof verdict.score === 'number' ? verdict.score : undefined;
    if (verdict.success === true && score === undefined) {
      const reason = 'min_score is set and the verdict has no score: is it a v3 key?';
      log('error', 'captcha_unverified', { reason });
      return reason;
    }
    log('info', 'captcha_rejected', { codes, score });
    return codes.length > 0 ? codes.join(', ') : `score ${score ?? 'unknown'}`;
  } catch (error) {
    const isExpected = error instanceof ClientError;
    log('error', 'captcha_unverified', isExpected ? { reason: error.message } : { stack: stackOf(error) });
    return isExpected ? error.message : 'internal error';
  }
}

/** The provider's verdict; one retry where that cannot burn the token (D16). Throws a `ClientError` without one. */
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

/** Whether the trouble is the provider's own: it says so, or its verdict did not come whole. */
const isTemporary = ({ status, body }: HttpAnswer): boolean => {
  const verdict = readVerdict(body);
  return status >= 500 || verdict === undefined || errorCodes(verdict).includes('internal-error');
};

function verdictOf({ status, body }: HttpAnswer): Verdict {
  if (status < 200 || status > 299) throw failed('captcha_status', { status });
  const verdict = readVerdict(body);
  if (!verdict) throw failed('captcha_without_verdict');
  return verdict;
}
