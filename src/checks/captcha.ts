import type { Captcha, Verdict } from '../captchas/provider.ts';
import { ClientError, type Effects, type HttpAnswer, type LogLevel } from '../effects.ts';
import type { Submission } from '../form.ts';
import { stackOf } from '../log.ts';
import type { Outcome } from '../outcome.ts';
import { scopeOf } from '../template/scope.ts';
import { type Check, type CheckContext, firstValue } from './check.ts';

/** For each try, within what the submission has left (D16). */
const timeoutMs = 5_000;

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
  const secret = captcha.secret.render(scopeOf(form, submission, effects));
  try {
    if (secret === '') throw new ClientError('the secret renders empty; is its environment variable set?');
    const verdict = await ask(captcha, { secret, response: token }, submission, effects);
    const isAccepted = verdict.success === true && captcha.accepts(verdict);
    const codes = errorCodes(verdict);
    if (codes.some((code) => /secret|sitekey/.test(code))) {
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
  { http, now, uuid }: Effects,
): Promise<Verdict> {
  const body = new URLSearchParams(parameters);
  if (submission.senderAddress) body.set('remoteip', submission.senderAddress);
  if (isIdempotent) body.set('idempotency_key', uuid());
  const post = () =>
    http({
      url: verifyUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
      timeoutMs: Math.max(1, Math.min(timeoutMs, submission.deadline - now())),
    });
  if (!isIdempotent) return readVerdict(await post());
  const first = await post().catch((error: unknown) => {
    if (error instanceof ClientError) return undefined;
    throw error;
  });
  const verdict = first && first.status < 500 ? readVerdict(first) : undefined;
  const isPassing = !verdict || errorCodes(verdict).includes('internal-error');
  return isPassing ? readVerdict(await post()) : verdict;
}

function readVerdict(answer: HttpAnswer): Verdict {
  if (answer.status < 200 || answer.status > 299)
    throw new ClientError(`the provider answered ${answer.status}`);
  try {
    const verdict: unknown = JSON.parse(answer.body);
    if (typeof verdict === 'object' && verdict !== null) return verdict;
  } catch {}
  throw new ClientError('the provider did not answer with a JSON object');
}

/** The provider's error codes, as far as they look like codes: they go into the log. */
function errorCodes({ 'error-codes': codes }: Verdict): readonly string[] {
  return Array.isArray(codes)
    ? codes.filter((code): code is string => /^[a-z-]{1,60}$/.test(String(code)))
    : [];
}
