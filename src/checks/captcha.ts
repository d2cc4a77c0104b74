import type { Captcha, Verdict } from '../captchas/provider.ts';
import { ClientError, type HttpAnswer } from '../effects.ts';
import type { Submission } from '../form.ts';
import { scopeOf } from '../template/scope.ts';
import { type CheckContext, type CheckResult, firstValue, strip } from './check.ts';

/** For each try, within what the submission has left (D16). */
const timeoutMs = 5_000;

/**
 * Asks the provider about the token (SPEC: Submission rules 3). Fails closed: when no verdict can be had, the visitor
 * gets the same 400, and the operator a log line that says why (D16).
 */
export function captcha(submission: Submission, context: CheckContext): CheckResult | Promise<CheckResult> {
  const { captcha } = context.form;
  return captcha ? judge(captcha, submission, context) : { pass: submission };
}

async function judge(captcha: Captcha, submission: Submission, context: CheckContext): Promise<CheckResult> {
  const token = firstValue(submission.values, captcha.tokenField);
  const isHuman = token !== '' && (await verify(captcha, token, submission, context));
  return isHuman ? { pass: strip(submission, captcha.tokenField) } : { end: { kind: 'captcha_failed' } };
}

async function verify(
  captcha: Captcha,
  token: string,
  submission: Submission,
  { form, effects }: CheckContext,
): Promise<boolean> {
  const warn = (reason: string) =>
    effects.log('error', 'captcha_unverified', {
      request_id: submission.requestId,
      form: form.id,
      provider: captcha.provider,
      reason,
    });
  const secret = captcha.secret.render(scopeOf(form, submission, effects));
  if (secret === '') {
    warn('the secret renders empty');
    return false;
  }
  const body = new URLSearchParams({ secret, response: token });
  if (captcha.isIdempotent) body.set('idempotency_key', effects.uuid());
  const ask = () =>
    effects.http({
      url: captcha.verifyUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
      timeoutMs: Math.min(timeoutMs, submission.deadline - effects.now()),
    });
  try {
    const first = await ask().catch((error: unknown) => {
      if (captcha.isIdempotent && error instanceof ClientError) return undefined;
      throw error;
    });
    const answer = captcha.isIdempotent && (!first || first.status >= 500) ? await ask() : first;
    const verdict = readVerdict(answer);
    const codes = errorCodes(verdict);
    if (codes.some((code) => /secret|sitekey/.test(code))) warn(`the provider answered ${codes.join(', ')}`);
    return verdict.success === true && captcha.accepts(verdict);
  } catch (error) {
    warn(error instanceof ClientError ? error.message : 'internal error');
    return false;
  }
}

function readVerdict(answer: HttpAnswer | undefined): Verdict {
  if (!answer || answer.status < 200 || answer.status > 299) {
    throw new ClientError(`the provider answered ${answer?.status ?? 'nothing'}`);
  }
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
