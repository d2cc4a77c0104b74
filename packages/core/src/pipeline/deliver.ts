import { ClientError, stackOf } from '@form-relay/base/client_error';
import type { MaybePromise } from '@form-relay/base/maybe_promise';
import { Try, tryAgain } from '@form-relay/base/retries';
import { type TraceContext, tracingHeaders } from '@form-relay/base/trace_context';
import type { TemplateContext } from '@form-relay/schema/template';
import { buildPayload } from '../outputs/delivery.ts';
import type { Delivery, FormOutput } from '../outputs/output.ts';
import { templateContext } from '../outputs/template_context.ts';
import { type DeliveryResult, delivered, type Outcome, type Submission, undelivered } from '../submission.ts';
import { invalid } from './validate.ts';

/**
 * Attempts every output at the same time; none can keep another from running (SPEC: Submission rules 5 and 6). `delivered` when every
 * fail-policy output took the submission and all types are registered; undelivered if no output accepts it. Never rejects.
 */
export function deliverToOutputs(submission: Submission): MaybePromise<Outcome> {
  const { form, deliveries } = submission;
  const scope = contextOf(submission, form.outputs[0]?.form);
  let pending: Promise<void> | undefined;
  for (let index = 0; index < form.outputs.length; index += 1) {
    const output = form.outputs[index] as FormOutput;
    const result = new DeliveryAttempts(output, index, submission).offer(submission, scope);
    if (!(result instanceof Promise)) deliveries[index] = result;
    // Most forms have one output, which needs no promise to join others.
    else if (form.outputs.length === 1)
      return result.then((one) => {
        deliveries[index] = one;
        return outcomeOf(submission);
      });
    else {
      const earlier = pending;
      pending = result.then((one) => {
        deliveries[index] = one;
        return earlier;
      });
    }
  }
  if (pending !== undefined) return pending.then(() => outcomeOf(submission));
  if (deliveries.every((one) => one?.outcome === 'skipped')) {
    submission.log('error', 'no_output_applies', {
      reason:
        'no output applies: none of their conditions holds; leave out one when, or add an output for the rest',
    });
    return undelivered;
  }
  return outcomeOf(submission);
}

function outcomeOf({ deliveries, form: { outputs }, values }: Submission): Outcome {
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

/** The parts of a submission that a delivery needs: with it and the config, it can be made at any time. */
export type Deliverable = Pick<
  Submission,
  'requestId' | 'formId' | 'receivedAt' | 'values' | 'files' | 'deadline' | 'services'
> & {
  readonly page?: Submission['page'];
  /** The id of a delivery that was tried before: its output may have another place since. */
  readonly deliveryId?: string;
  readonly tracing?: TraceContext;
};

const contextOf = (
  { formId, values, receivedAt, services, page }: Deliverable,
  form: FormOutput['form'] | undefined,
): TemplateContext => templateContext(formId, values, receivedAt, services, page ? { ...form, page } : form);

/** Delivers to one output, with its retries. Never rejects. */
export function deliverTo(
  output: FormOutput,
  index: number,
  submission: Deliverable,
  scope = contextOf(submission, output.form),
): MaybePromise<DeliveryResult> {
  return new DeliveryAttempts(output, index, submission).start(scope);
}

const noWarnings: readonly string[] = [];

/** The tries of one output. A class, because each step as a closure would capture the same variables. */
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

  /** Delivers what the output accepts. */
  offer(submission: Submission, scope: Delivery['templateContext']): MaybePromise<DeliveryResult> {
    const { accepts, type } = this.#output;
    try {
      if (accepts && !accepts(submission))
        return { output: this.#index, type, outcome: 'skipped', tries: 0, ms: 0 };
    } catch (error) {
      return this.#threw(error);
    }
    return this.start(scope);
  }

  start(scope: Delivery['templateContext']): MaybePromise<DeliveryResult> {
    if (!this.#output.transport) return this.#failed('unregistered_type', 'no such output type');
    const { requestId, formId, receivedAt, values, files, tracing } = this.#submission;
    try {
      const payload = buildPayload(this.#output.plan, values, scope);
      const delivery: Delivery = {
        id: this.#submission.deliveryId ?? `${requestId}-${this.#index}`,
        requestId,
        formId,
        receivedAt,
        values,
        payload,
        templateContext: scope,
        files,
        request: tracing && { tracing: tracingHeaders(tracing, this.#index) },
        // Extensions then change a key and add none, which would take longer (fields/compile.ts).
        mail: undefined,
        warn: (reason) => this.#warn(reason),
      };
      return this.#attempt(delivery, this.#timeoutMs).then(
        (warning) => this.#taken(warning),
        (error) => this.#again(error, delivery),
      );
    } catch (error) {
      return this.#threw(error);
    }
  }

  get #timeoutMs(): number {
    return Math.max(1, Math.min(this.#output.timeoutMs, this.#submission.deadline - this.#startedAt));
  }

  get #ms(): number {
    return this.#submission.services.now() - this.#startedAt;
  }

  #attempt(delivery: Delivery, timeoutMs: number): Promise<string | undefined> {
    this.#tries += 1;
    this.#try = new Try(timeoutMs);
    return (this.#output.transport as NonNullable<FormOutput['transport']>).send(delivery, this.#try);
  }

  async #again(error: unknown, delivery: Delivery): Promise<DeliveryResult> {
    this.#try?.end();
    const rule = {
      retries: this.#output.retries,
      timeoutMs: this.#timeoutMs,
      firstWaitMs: 1_000,
      onRetry: (error: ClientError) => {
        const { message } = withoutSubmitted(error, this.#submission.values);
        this.#log('warn', 'retrying', { reason: message, ms: this.#ms });
      },
    };
    try {
      return this.#taken(
        await tryAgain(
          error,
          (ms) => this.#attempt(delivery, ms),
          rule,
          this.#startedAt,
          this.#submission.services,
        ),
      );
    } catch (error) {
      this.#try?.end();
      return this.#threw(error);
    }
  }

  #warn(reason: string): void {
    if (this.#warnings.includes(reason)) return;
    this.#warnings = [...this.#warnings, reason];
    this.#log('warn', 'delivery_warning', { reason });
  }

  #taken(warning: string | undefined): DeliveryResult {
    this.#try?.end();
    if (warning) this.#warn(warning);
    return {
      output: this.#index,
      type: this.#output.type,
      outcome: 'delivered',
      tries: this.#tries,
      ms: this.#ms,
    };
  }

  #threw(error: unknown): DeliveryResult {
    if (!(error instanceof ClientError))
      return this.#failed('internal_error', 'internal error', { stack: stackOf(error) });
    const shown = withoutSubmitted(error, this.#submission.values);
    return this.#failed(shown, shown.message);
  }

  #failed(error: DeliveryResult['error'], reason: string, more?: object): DeliveryResult {
    const { type, transport } = this.#output;
    // SPEC: Submission rules 6: an unregistered type fails the submission, whatever it says.
    const on_error = transport ? this.#output.on_error : 'fail';
    const ms = this.#ms;
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

/** A service may give back what a visitor wrote where its error code should be. No log holds that. */
function withoutSubmitted(error: ClientError, values: Deliverable['values']): ClientError {
  const { code: given }: { readonly code?: unknown } = error.params;
  if (typeof given !== 'string') return error;
  const isSubmitted = [...values.values()].flat().some((value) => value.split(/[\s,;]+/).includes(given));
  if (!isSubmitted) return error;
  const params = { ...error.params, code: undefined };
  return new ClientError(error.message.replace(` (${given})`, ''), { ...error, params });
}
