import type { CheckContext } from '../checks/check.ts';
import { ClientError, serviceCodeIn, withoutServiceCode } from '../client_error.ts';
import type { DeliveryError, DeliveryWarning, Listener } from '../event.ts';
import type { FormOutput } from '../form.ts';
import type { Job } from '../job.ts';
import type { Outcome } from '../outcome.ts';
import { buildPayload } from '../outputs/payload.ts';
import { applies } from '../outputs/when.ts';
import { withRetries } from '../retries.ts';
import type { Checked } from '../submission.ts';
import type { Scope } from '../template/render.ts';
import { scopeOf } from '../template/scope.ts';
import { type Transports, transportOf } from '../transports/index.ts';
import { pretendedAnswer } from '../transports/transport.ts';
import type { Values } from '../values.ts';

export interface StreetContext extends CheckContext {
  readonly transports: Transports;
  /** Learns what happens, as it happens. */
  readonly tell: Listener;
  /** What happens instead of a delivery, where its address is to be confirmed first. */
  readonly hold?: ((submission: Checked) => Promise<Outcome>) | undefined;
  /** What follows when all that must take the submission have it. */
  readonly onDelivered?: ((submission: Checked, outcome: Delivered) => Promise<void>) | undefined;
}

export type Delivered = Extract<Outcome, { kind: 'delivered' }>;

/**
 * Attempts every output at the same time; none can keep another from running (SPEC: Submission rules 5 and 6).
 * `delivered` when every fail-policy output took the submission and no output is of an unregistered type. Outputs whose
 * `when` does not hold have no part in it; a submission that all of them leave to the others is nobody's (D68).
 */
export async function deliver(submission: Checked, context: StreetContext): Promise<Outcome> {
  const { form, effects, tell } = context;
  const scope = scopeOf(form.id, submission, effects, form.fields);
  let skipped = 0;
  const deliveries = form.outputs.map((output, index) => {
    const { when, type } = output;
    if (!when || applies(when, submission.values))
      return deliverTo(output, index, submission, scope, context);
    skipped += 1;
    tell({ kind: 'delivery_skipped', output: index, type, when });
    return 'given_up';
  });
  if (skipped === form.outputs.length) {
    tell({ kind: 'no_output_applies' });
    return { kind: 'undelivered' };
  }
  let areFine = true;
  let isTaken = false;
  // All are under way, and none rejects: to wait for one after the other takes 2 % of a submission less than Promise.all.
  for (const delivery of deliveries) {
    const ending = await delivery;
    areFine &&= ending !== 'failed';
    isTaken ||= ending === 'taken';
  }
  if (!areFine) return { kind: 'undelivered' };
  return isTaken ? { kind: 'delivered' } : { kind: 'delivered', byNobody: true };
}

/** `given_up`: the output has not got the submission, which is not failed by that. */
type Ending = 'taken' | 'given_up' | 'failed';

async function deliverTo(
  output: FormOutput,
  index: number,
  submission: Checked,
  scope: Scope,
  { form, effects, transports, tell }: StreetContext,
): Promise<Ending> {
  const startedAt = effects.now();
  const { type } = output;
  let payload: Job['payload'] = [];
  let attempts = 0;
  let found: readonly DeliveryWarning[] | undefined;
  const fail = (error: DeliveryError, onError: 'fail' | 'continue'): Ending => {
    const ms = effects.now() - startedAt;
    tell({ kind: 'delivery_failed', output: index, type, payload, error, onError, attempts, ms });
    return onError === 'continue' ? 'given_up' : 'failed';
  };
  if (!output.message) return fail('unregistered_type', 'fail');
  const warn = (warnings: readonly DeliveryWarning[] = []) => {
    for (const warning of warnings) tell({ kind: 'delivery_warned', output: index, type, warning });
  };
  try {
    payload = buildPayload(output.plan, submission.values, scope);
    const { requestId, receivedAt, values, files, page } = submission;
    const id = `${requestId}-${index}`;
    const message = output.message(
      { id, requestId, formId: form.id, receivedAt, values, files, page, payload },
      scope,
    );
    warn(message.warnings);
    const transport = transportOf(transports, message);
    const attempt = async (timeoutMs: number) => {
      attempts += 1;
      tell({ kind: 'delivery_tried', output: index, type, attempt: attempts, message });
      try {
        const answer = await transport.send(message, timeoutMs);
        if (output.verdict && answer !== pretendedAnswer) found = output.verdict(answer);
        return answer;
      } catch (error) {
        throw error instanceof ClientError ? withoutEcho(error, submission.values) : error;
      }
    };
    const rule = {
      retries: output.retries,
      timeoutMs: Math.min(output.timeout, submission.deadline - startedAt),
      firstWaitMs: 1_000,
      onRetry: (error: ClientError) =>
        tell({ kind: 'delivery_retried', output: index, type, error, ms: effects.now() - startedAt }),
    };
    const answer = await withRetries(attempt, rule, effects);
    warn(found);
    tell({
      kind: 'delivered',
      output: index,
      type,
      payload,
      answer,
      attempts,
      ms: effects.now() - startedAt,
    });
    return 'taken';
  } catch (error) {
    if (error instanceof ClientError) return fail(error, output.on_error);
    tell({ kind: 'broken', error });
    return fail('internal_error', output.on_error);
  }
}

/** A service may give back what a visitor wrote where its code should stand. No log holds that (D22). */
function withoutEcho(error: ClientError, values: Values): ClientError {
  const code = serviceCodeIn(error);
  if (code === undefined) return error;
  const isSubmitted = [...values.values()].flat().some((value) => value.split(/[\s,;]+/).includes(code));
  return isSubmitted ? withoutServiceCode(error) : error;
}
