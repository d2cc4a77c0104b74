import type { CheckContext } from '../checks/check.ts';
import { ClientError, serviceCodeIn, withoutServiceCode } from '../client_error.ts';
import { doubtIn, doubtNames } from '../doubt.ts';
import type { DeliveryError, DeliveryWarning, Listener } from '../event.ts';
import type { Form, FormOutput } from '../form.ts';
import type { Job } from '../job.ts';
import type { Outcome } from '../outcome.ts';
import { takesAside } from '../outputs/aside.ts';
import { buildPayload } from '../outputs/payload.ts';
import { applies } from '../outputs/when.ts';
import { withRetries } from '../retries.ts';
import type { Checked } from '../submission.ts';
import type { Scope } from '../template/render.ts';
import { scopeOf } from '../template/scope.ts';
import { stepOf, type Trace, traceOf } from '../trace.ts';
import { type Transports, transportOf } from '../transports/index.ts';
import { pretendedAnswer } from '../transports/transport.ts';
import type { Values } from '../values.ts';
import type { Owed } from './keeper.ts';

export interface DeliveryContext extends Pick<CheckContext, 'form' | 'effects'> {
  readonly transports: Transports;
  /** Learns what happens, as it happens. */
  readonly tell: Listener;
  /** The submission's; what is delivered long after it has one of its own, named as the submission is. */
  readonly trace?: Trace | undefined;
  /** Keeps what outputs owe, for forms that ask for it. */
  readonly keep?: KeepOwed | undefined;
}

export interface StreetContext extends DeliveryContext, CheckContext {
  /** What happens instead of a delivery, where its address is to be confirmed first. */
  readonly hold?: ((submission: Checked) => Promise<Outcome>) | undefined;
  /** What follows when all that must take the submission have it. */
  readonly onDelivered?: ((submission: Checked, outcome: Delivered) => Promise<void>) | undefined;
}

/** What a delivery needs of a submission. */
export type Deliverable = Pick<
  Checked,
  'requestId' | 'receivedAt' | 'values' | 'files' | 'page' | 'deadline'
>;

export type Delivered = Extract<Outcome, { kind: 'delivered' }>;

/** Resolves with whether all of it is kept. Never rejects. */
export type KeepOwed = (submission: Checked, owed: readonly Owed[]) => Promise<boolean>;

/**
 * Attempts every output at the same time; none can keep another from running (SPEC: Submission rules 5 and 6).
 * `delivered` when every fail-policy output took the submission and no output is of an unregistered type. Outputs whose
 * `when` does not hold have no part in it; a submission that all of them leave to the others is nobody's (D68). What is
 * kept counts as taken (D69).
 */
export async function deliver(submission: Checked, context: DeliveryContext): Promise<Outcome> {
  const { form, effects, tell, keep } = context;
  const keepsAll = keep && form.keep?.what === 'always';
  const scope = scopeOf(form.id, submission, effects, form.fields);
  const isAside = isSetAside(form, submission.values);
  let skipped = 0;
  const deliveries = form.outputs.map((output, index) => {
    const { when, type } = output;
    const isForIt = takesAside(output, isAside);
    if (isForIt && (!when || applies(when, submission.values)))
      return keepsAll ? undefined : deliverTo(output, index, submission, scope, context);
    skipped += 1;
    tell({ kind: 'delivery_skipped', output: index, type, when: isForIt ? when : undefined });
    return 'skipped';
  });
  if (skipped === form.outputs.length) {
    tell({ kind: 'no_output_applies' });
    return { kind: 'undelivered' };
  }
  const owed: Owed[] = [];
  let isTaken = false;
  // All are under way, and none rejects: to wait for one after the other takes 2 % of a submission less than Promise.all.
  for (const [index, delivery] of deliveries.entries()) {
    const ending = await delivery;
    if (ending === 'taken') isTaken = true;
    else if (ending !== 'skipped') owed.push({ output: index, why: ending });
  }
  const mustTake = ({ output, why }: Owed) =>
    why === 'unregistered_type' || form.outputs[output]?.on_error === 'fail';
  if (keep && owed.length > 0 && (await keep(submission, owed)))
    return owed.some(mustTake) ? { kind: 'delivered', isKept: true } : { kind: 'delivered' };
  if (keepsAll || owed.some(mustTake)) return { kind: 'undelivered' };
  return isTaken ? { kind: 'delivered' } : { kind: 'delivered', byNobody: true };
}

/** Whether an output is to get a submission with these values, by its `when` and `aside`. */
export const takes = (output: FormOutput, form: Pick<Form, 'doubt'>, values: Values): boolean =>
  takesAside(output, isSetAside(form, values)) && (!output.when || applies(output.when, values));

const isSetAside = ({ doubt }: Pick<Form, 'doubt'>, values: Values) =>
  doubt !== undefined && values.has(doubtNames.aside);

/**
 * Never rejects: it ends with why the output has not got the submission.
 *
 * @param id The delivery's, where it was tried before: since then, the output may have another place.
 */
export async function deliverTo(
  output: FormOutput,
  index: number,
  submission: Deliverable,
  scope: Scope,
  context: DeliveryContext,
  id = `${submission.requestId}-${index}`,
): Promise<'taken' | DeliveryError> {
  const { form, effects, transports, tell, keep } = context;
  const startedAt = effects.now();
  const { type } = output;
  let payload: Job['payload'] = [];
  let attempts = 0;
  let found: readonly DeliveryWarning[] | undefined;
  const fail = (error: DeliveryError, onError: 'fail' | 'continue'): DeliveryError => {
    const ms = effects.now() - startedAt;
    const next = keep && ({ isKept: true } as const);
    tell({ kind: 'delivery_failed', output: index, type, payload, error, onError, attempts, ms, ...next });
    return error;
  };
  if (!output.message) return fail('unregistered_type', 'fail');
  const warn = (warnings: readonly DeliveryWarning[] = []) => {
    for (const warning of warnings) tell({ kind: 'delivery_warned', output: index, type, warning });
  };
  try {
    const { requestId, receivedAt, values, files, page } = submission;
    const doubt = form.doubt && doubtIn(values);
    payload = buildPayload(output.plan, values, scope, doubt);
    const trace = stepOf(context.trace ?? traceOf(undefined, requestId, effects.uuid), effects.uuid);
    const message = output.message(
      { id, requestId, formId: form.id, receivedAt, values, files, page, doubt, trace, payload },
      scope,
    );
    warn(message.warnings);
    const transport = transportOf(transports, message);
    const attempt = async (timeoutMs: number) => {
      attempts += 1;
      tell({ kind: 'delivery_tried', output: index, type, attempt: attempts, message, trace });
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
    const warning = transport.warningOf?.(answer);
    if (warning) warn([warning]);
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
