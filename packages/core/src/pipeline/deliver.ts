import { ClientError, stackOf } from '@form-relay/base/client_error';
import { Try, tryAgain } from '@form-relay/base/retries';
import { type TraceContext, tracingHeaders } from '@form-relay/base/trace_context';
import type { TemplateContext } from '@form-relay/schema/template';
import { buildPayload, SubmissionTemplateContext } from '../outputs/delivery.ts';
import type { Delivery, FormOutput, Transport } from '../outputs/output.ts';
import { type DeliveryResult, delivered, type Outcome, type Submission, undelivered } from '../submission.ts';
import { invalid } from './validate.ts';

/**
 * Attempts every output at the same time; no output can prevent another from running (SPEC: Submission rules 5 and 6). `delivered` if
 * every fail-policy output accepted the submission and all types are registered; undelivered if no output accepts it. Never rejects.
 */
export function deliverToOutputs(submission: Submission): Promise<Outcome> {
  const { outputs } = submission.form;
  const scope = contextOf(submission, outputs[0]?.form);
  const deliver = (output: FormOutput, index: number) =>
    new DeliveryAttempts(output, index, submission).run(scope, submission);
  // Most forms have one output, which needs no promise to join others.
  return outputs.length === 1
    ? deliver(outputs[0] as FormOutput, 0).then((result) => outcomeOf(submission, [result]))
    : Promise.all(outputs.map(deliver)).then((results) => outcomeOf(submission, results));
}

function outcomeOf(submission: Submission, results: readonly DeliveryResult[]): Outcome {
  const { deliveries, form, values } = submission;
  const { outputs } = form;
  let isSkipped = true;
  for (let index = 0; index < results.length; index += 1) {
    deliveries[index] = results[index];
    if (results[index]?.outcome !== 'skipped') isSkipped = false;
  }
  if (isSkipped) {
    submission.log('error', 'no_output_applies', {
      reason:
        'no output applies: no condition is true; remove when from one output, or add an output for the rest',
    });
    return undelivered;
  }
  let outcome = delivered;
  for (let index = 0; index < outputs.length; index += 1) {
    const { on_error, transport } = outputs[index] as FormOutput;
    const { reason, error } = deliveries[index] ?? {};
    if (reason === undefined || (on_error !== 'fail' && transport)) continue;
    const isUnmailable = error instanceof ClientError && error.code === 'no_smtputf8';
    const unusable = isUnmailable ? transport?.check?.(values, true) : undefined;
    if (!unusable) return undelivered;
    outcome = invalid([unusable]);
  }
  return outcome;
}

/** The parts of a submission that a delivery needs. With them and the config, the delivery can be made at any time. */
export type Deliverable = Pick<
  Submission,
  'requestId' | 'formId' | 'receivedAt' | 'values' | 'files' | 'deadline' | 'services'
> & {
  readonly page?: Submission['page'];
  /** The id of a delivery that was attempted before, whose output may have another index now. */
  readonly deliveryId?: string;
  readonly tracing?: TraceContext;
};

const contextOf = (
  { formId, values, receivedAt, services: { env }, page }: Deliverable,
  form: FormOutput['form'] | undefined,
): TemplateContext =>
  new SubmissionTemplateContext(formId, values, receivedAt, env, page ? { ...form, page } : (form ?? {}));

/** Delivers to one output, with its retries. Never rejects. */
export const deliverTo = (
  output: FormOutput,
  index: number,
  submission: Deliverable,
): Promise<DeliveryResult> =>
  new DeliveryAttempts(output, index, submission).run(contextOf(submission, output.form));

const noWarnings: readonly string[] = [];

/** The attempts of one output. A class, because each step as a closure would capture the same variables. */
class DeliveryAttempts {
  readonly #output: FormOutput;
  readonly #index: number;
  readonly #submission: Deliverable;
  readonly #startedAt: number;
  #tries = 0;
  #try: Try | undefined;
  #warnings: readonly string[] = noWarnings;

  constructor(output: FormOutput, index: number, submission: Deliverable) {
    this.#output = output;
    this.#index = index;
    this.#submission = submission;
    this.#startedAt = submission.services.now();
  }

  /** @param offered The submission, if the output may decline it. */
  run(scope: TemplateContext, offered?: Submission): Promise<DeliveryResult> {
    const { accepts, type, plan, transport, timeoutMs } = this.#output;
    const { deliveryId, requestId, formId, receivedAt, values, files, tracing, deadline } = this.#submission;
    const output = this.#index;
    try {
      if (offered && accepts && !accepts(offered))
        return Promise.resolve({ output, type, outcome: 'skipped', tries: 0, ms: 0 });
      if (!transport) return Promise.resolve(this.#failed('unregistered_type', 'no such output type'));
      const delivery: Delivery = {
        id: deliveryId ?? `${requestId}-${output}`,
        requestId,
        formId,
        receivedAt,
        values,
        payload: buildPayload(plan, values, scope),
        templateContext: scope,
        files,
        request: tracing && { tracing: tracingHeaders(tracing, output) },
        // Extensions then change a key instead of adding one, which would take longer (fields/compile.ts).
        mail: undefined,
        warn: (reason) => this.#warn(reason),
      };
      const leftMs = Math.max(1, Math.min(timeoutMs, deadline - this.#startedAt));
      return this.#attempt(transport, delivery, leftMs).then(
        (warning) => this.#taken(warning),
        (error) => this.#retry(error, transport, delivery, leftMs),
      );
    } catch (error) {
      return Promise.resolve(this.#threw(error));
    }
  }

  #attempt(transport: Transport, delivery: Delivery, timeoutMs: number): Promise<string | undefined> {
    this.#tries += 1;
    this.#try?.end();
    this.#try = new Try(timeoutMs);
    return transport.send(delivery, this.#try);
  }

  async #retry(
    error: unknown,
    transport: Transport,
    delivery: Delivery,
    timeoutMs: number,
  ): Promise<DeliveryResult> {
    const { services, values } = this.#submission;
    const onRetry = (reason: ClientError) => {
      const { message } = withoutSubmitted(reason, values);
      this.#log('warn', 'retrying', { reason: message, ms: services.now() - this.#startedAt });
    };
    const rule = { retries: this.#output.retries, timeoutMs, firstWaitMs: 1_000, onRetry };
    const again = (ms: number) => this.#attempt(transport, delivery, ms);
    try {
      return this.#taken(await tryAgain(error, again, rule, this.#startedAt, services));
    } catch (error) {
      this.#try?.end();
      return this.#threw(error);
    }
  }

  #taken(warning: string | undefined): DeliveryResult {
    this.#try?.end();
    if (warning) this.#warn(warning);
    const ms = this.#submission.services.now() - this.#startedAt;
    return { output: this.#index, type: this.#output.type, outcome: 'delivered', tries: this.#tries, ms };
  }

  #warn(reason: string): void {
    if (this.#warnings.includes(reason)) return;
    this.#warnings = [...this.#warnings, reason];
    this.#log('warn', 'delivery_warning', { reason });
  }

  #threw(error: unknown): DeliveryResult {
    if (!(error instanceof ClientError))
      return this.#failed('internal_error', 'internal error', { stack: stackOf(error) });
    const shown = withoutSubmitted(error, this.#submission.values);
    return this.#failed(shown, shown.message);
  }

  #failed(error: DeliveryResult['error'], reason: string, more?: object): DeliveryResult {
    const { type, transport } = this.#output;
    // SPEC: Submission rules 6: an unregistered type always fails the submission, whatever `on_error` says.
    const on_error = transport ? this.#output.on_error : 'fail';
    const ms = this.#submission.services.now() - this.#startedAt;
    this.#log(on_error === 'fail' ? 'error' : 'warn', 'delivery_failed', { reason, on_error, ms, ...more });
    return { output: this.#index, type, outcome: 'failed', tries: this.#tries, ms, reason, error };
  }

  #log(level: 'warn' | 'error', event: string, more: object): void {
    const { services, requestId, formId, tracing } = this.#submission;
    services.log(level, event, {
      request_id: requestId,
      trace_id: tracing?.traceId,
      form: formId,
      output: this.#index,
      type: this.#output.type,
      ...more,
    });
  }
}

/** A service may return a visitor's input in place of its error code. The log must not contain it. */
function withoutSubmitted(error: ClientError, values: Deliverable['values']): ClientError {
  const { code: given }: { readonly code?: unknown } = error.params;
  if (typeof given !== 'string') return error;
  const isSubmitted = [...values.values()].flat().some((value) => value.split(/[\s,;]+/).includes(given));
  if (!isSubmitted) return error;
  const params = { ...error.params, code: undefined };
  return new ClientError(error.message.replace(` (${given})`, ''), { ...error, params });
}
