import { ClientError } from '../client_error.ts';
import type { Effects, LogLevel } from '../effects.ts';
import type { Form, FormOutput } from '../form.ts';
import { buildPayload } from '../outputs/payload.ts';
import { withRetries } from '../retries.ts';
import type { Settings } from '../settings.ts';
import { stackOf } from '../stack.ts';
import type { Submission } from '../submission.ts';
import type { Scope } from '../template/render.ts';
import { scopeOf } from '../template/scope.ts';

/**
 * Attempts every output at the same time; none can keep another from running (SPEC: Submission rules 5 and 6).
 * `true` when every fail-policy output took the submission and no output is of an unregistered type.
 */
export async function fanOut(submission: Submission, context: FanOutContext): Promise<boolean> {
  const scope = scopeOf(context.form.id, submission, context.effects);
  const deliveries = context.form.outputs.map((output, index) =>
    deliver(output, index, submission, scope, context),
  );
  let isDelivered = true;
  // All are under way, and none rejects: waiting for one after the other is cheaper than Promise.all.
  for (const delivery of deliveries) isDelivered = (await delivery) && isDelivered;
  return isDelivered;
}

export interface FanOutContext {
  readonly form: Form;
  readonly settings: Settings;
  readonly effects: Effects;
}

/** `false` when this output's failure fails the submission. */
async function deliver(
  output: FormOutput,
  index: number,
  submission: Submission,
  scope: Scope,
  { form, settings, effects }: FanOutContext,
): Promise<boolean> {
  const startedAt = effects.now();
  const log = (level: LogLevel, event: string, reason?: string, onError?: string) =>
    effects.log(level, event, {
      request_id: submission.requestId,
      form: form.id,
      output: index,
      type: output.type,
      reason,
      on_error: onError,
      ms: effects.now() - startedAt,
    });
  if (!output.deliver) {
    log('error', 'delivery_failed', 'no such output type', 'fail');
    return false;
  }
  // Another try may come upon the same again.
  const warned: string[] = [];
  const warn = (reason: string) => {
    if (!warned.includes(reason)) log('warn', 'delivery_warning', reason);
    warned.push(reason);
  };
  try {
    const { deliver } = output;
    const payload = buildPayload(output.plan, submission.values, scope);
    const attempt = (timeoutMs: number) =>
      deliver({
        id: `${submission.requestId}-${index}`,
        requestId: submission.requestId,
        receivedAt: submission.receivedAt,
        payload,
        scope,
        timeoutMs,
        effects,
        mailFromAddress: settings.mailFromAddress,
        warn,
      });
    const rule = {
      retries: output.retries,
      timeoutMs: Math.min(output.timeout, submission.deadline - startedAt),
      firstWaitMs: 1_000,
      onRetry: (reason: string) => log('warn', 'retrying', reason),
    };
    await withRetries(attempt, rule, effects);
    log('info', 'delivered');
    return true;
  } catch (error) {
    const failsSubmission = output.on_error === 'fail';
    const isExpected = error instanceof ClientError;
    if (!isExpected)
      effects.log('error', 'internal_error', { request_id: submission.requestId, stack: stackOf(error) });
    const reason = isExpected ? error.message : 'internal error';
    log(failsSubmission ? 'error' : 'warn', 'delivery_failed', reason, output.on_error);
    return !failsSubmission;
  }
}
