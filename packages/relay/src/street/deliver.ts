import { ClientError, serviceCodeIn, withoutServiceCode } from '../base/client_error.ts';
import { doubtIn, doubtNames, waitingName } from '../base/doubt.ts';
import type { Effects } from '../base/effects.ts';
import type { DeliveryError, DeliveryWarning, Listener } from '../base/event.ts';
import type { Job, Pdf } from '../base/job.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Soon } from '../base/soon.ts';
import type { Checked } from '../base/submission.ts';
import { stepOf, type Trace, traceOf } from '../base/trace.ts';
import type { Values } from '../base/values.ts';
import type { Form, FormOutput, KeepOwed, Owed, Reserve, World } from '../form.ts';
import { applies, buildPayload, takesAside, takesWaiting } from '../outputs/payload.ts';
import { latePdf } from '../outputs/pdf_outputs.ts';
import type { Scope } from '../schema/template/render.ts';
import { scopeOf } from '../schema/template/scope.ts';
import { type Message, type Transports, transportOf } from '../transports/index.ts';
import { tryAgain } from '../transports/retries.ts';
import { pretendedAnswer } from '../transports/transport.ts';

export interface DeliveryContext {
  readonly form: Form;
  readonly effects: Effects;
  readonly transports: Transports;
  /** Learns what happens, as it happens. */
  readonly tell: Listener;
  /** The submission's; what is delivered long after it has one of its own, named as the submission is. */
  readonly trace?: Trace | undefined;
  /** Keeps what outputs owe, for forms that ask for it. */
  readonly keep?: KeepOwed | undefined;
}

/** The part of a submission that deliveries need. */
export type Deliverable = Pick<
  Checked,
  'requestId' | 'receivedAt' | 'values' | 'files' | 'page' | 'deadline' | 'hops'
>;

/** The result of an output; `undefined`: it was not tried. */
type Ending = 'taken' | 'skipped' | DeliveryError | undefined;

/**
 * Attempts every output at the same time; none can keep another from running (SPEC: Submission rules 5 and 6).
 * `delivered` when every fail-policy output took the submission and no output is of an unregistered type. Outputs whose
 * `when` does not hold have no part in it; a submission that all of them leave to the others is nobody's. What is
 * kept counts as taken. Never rejects.
 */
export function deliver(submission: Checked, context: DeliveryContext): Soon<Outcome> {
  const { form, effects, tell, keep } = context;
  const keepsAll = keep?.all;
  const scope = scopeOf(form.id, submission, effects, form.fields);
  const isAside = isSetAside(form, submission.values);
  const isWaiting = isOnWaitingList(form, submission.values);
  const endings: Soon<Ending>[] = [];
  let skipped = 0;
  for (let index = 0; index < form.outputs.length; index += 1) {
    const output = form.outputs[index] as FormOutput;
    const { when, type } = output;
    const isForIt = takesAside(output, isAside) && takesWaiting(output, isWaiting);
    if (isForIt && (!when || applies(when, submission.values)))
      endings.push(keepsAll ? undefined : deliverTo(output, index, submission, scope, context));
    else {
      skipped += 1;
      endings.push('skipped');
      tell({ kind: 'delivery_skipped', output: index, type, when: isForIt ? when : undefined });
    }
  }
  if (skipped === endings.length) {
    tell({ kind: 'no_output_applies' });
    return undelivered;
  }
  return conclude(endings, submission, context);
}

/** Reserves what the form has only so much of, delivers, and then takes it or gives it back. */
export async function deliverReserved(
  reserve: Reserve,
  submission: Checked,
  context: DeliveryContext,
  world: World,
): Promise<Outcome> {
  const { form, tell } = context;
  const { ending, waitsFor, conclude } = await reserve(form, submission, tell, world);
  if (ending) return ending;
  const values = waitsFor ? new Map([...submission.values, [waitingName, ['1']]]) : submission.values;
  const outcome = await deliver({ ...submission, values }, context);
  await conclude?.(outcome);
  return waitsFor && outcome.kind === 'delivered' ? { ...outcome, waitsFor } : outcome;
}

/** Waits for one after the other, since all are under way, and none rejects. */
function conclude(endings: Soon<Ending>[], submission: Checked, context: DeliveryContext): Soon<Outcome> {
  for (let at = 0; at < endings.length; at += 1) {
    const delivering = endings[at];
    if (!(delivering instanceof Promise)) continue;
    return delivering.then((ending) => {
      endings[at] = ending;
      return conclude(endings, submission, context);
    });
  }
  return outcomeOf(endings as readonly Ending[], submission, context);
}

function outcomeOf(
  endings: readonly Ending[],
  submission: Checked,
  { form, keep }: DeliveryContext,
): Soon<Outcome> {
  const owed: Owed[] = [];
  for (let output = 0; output < endings.length; output += 1) {
    const why = endings[output];
    if (why !== 'taken' && why !== 'skipped') owed.push({ output, why });
  }
  if (owed.length === 0) return delivered;
  const mustTake = owed.some(
    ({ output, why }) => why === 'unregistered_type' || form.outputs[output]?.on_error === 'fail',
  );
  const isTaken = endings.includes('taken');
  const otherwise = mustTake ? undelivered : isTaken ? delivered : byNobody;
  if (!keep) return otherwise;
  return keep.keep(submission, owed).then((isKept): Outcome => {
    if (isKept) return mustTake ? { kind: 'delivered', isKept: true } : delivered;
    return keep.all ? undelivered : otherwise;
  });
}

const delivered: Outcome = { kind: 'delivered' };
const byNobody: Outcome = { kind: 'delivered', byNobody: true };
const undelivered: Outcome = { kind: 'undelivered' };

/** Whether an output is to get a submission with these values, by its `when` and `aside`. */
export const takes = (output: FormOutput, form: Pick<Form, 'ownNames'>, values: Values): boolean =>
  takesAside(output, isSetAside(form, values)) &&
  takesWaiting(output, isOnWaitingList(form, values)) &&
  (!output.when || applies(output.when, values));

const isSetAside = ({ ownNames }: Pick<Form, 'ownNames'>, values: Values) =>
  ownNames !== undefined && values.has(doubtNames.aside);

const isOnWaitingList = ({ ownNames }: Pick<Form, 'ownNames'>, values: Values) =>
  ownNames !== undefined && values.has(waitingName);

/**
 * Never rejects: it ends with why the output has not got the submission.
 *
 * @param id The delivery's, where it was tried before: since then, the output may have another place.
 */
export const deliverTo = (
  output: FormOutput,
  index: number,
  submission: Deliverable,
  scope: Scope,
  context: DeliveryContext,
  id = `${submission.requestId}-${index}`,
): Soon<'taken' | DeliveryError> => new Delivery(output, index, submission, context).start(scope, id);

/** A submission on its way to one output: a class, since its steps would each hold on to the same in a closure. */
class Delivery {
  readonly #output: FormOutput;
  readonly #index: number;
  readonly #submission: Deliverable;
  readonly #context: DeliveryContext;
  /** A PDF is made before. */
  #startedAt: number;
  #payload: Job['payload'] = nothing;
  #message: Message | undefined;
  #trace: Trace | undefined;
  #attempts = 0;
  /** The output's warnings about the answer. */
  #found: readonly DeliveryWarning[] | undefined;

  constructor(output: FormOutput, index: number, submission: Deliverable, context: DeliveryContext) {
    this.#output = output;
    this.#index = index;
    this.#submission = submission;
    this.#context = context;
    this.#startedAt = context.effects.now();
  }

  start(scope: Scope, id: string): Soon<'taken' | DeliveryError> {
    return this.#output.pdf && this.#output.form.paper ? this.#sendWithPdf(scope, id) : this.#send(scope, id);
  }

  async #sendWithPdf(scope: Scope, id: string): Promise<'taken' | DeliveryError> {
    const pdf = await this.#makePdf(scope);
    this.#startedAt = this.#context.effects.now();
    return this.#send(scope, id, pdf);
  }

  #send(scope: Scope, id: string, pdf?: Pdf): Soon<'taken' | DeliveryError> {
    const { plan, message } = this.#output;
    if (!message) return this.#fail('unregistered_type', 'fail');
    try {
      const { form, effects } = this.#context;
      const { requestId, receivedAt, values, files, page } = this.#submission;
      const doubt = form.ownNames && doubtIn(values);
      const isWaiting = isOnWaitingList(form, values);
      const payload = buildPayload(plan, values, scope, doubt, isWaiting);
      this.#payload = payload;
      const trace = stepOf(this.#context.trace ?? traceOf(undefined, requestId, effects.uuid), effects.uuid);
      this.#trace = trace;
      const job: Job = {
        id,
        requestId,
        formId: form.id,
        receivedAt,
        values,
        files,
        page,
        doubt,
        isWaiting,
        trace,
        payload,
      };
      this.#message = message(pdf ? { ...job, pdf } : job, scope);
      this.#warn(this.#message.warnings);
      return this.#attempt(this.#message, this.#timeoutMs).then(
        (answer) => this.#take(answer),
        (error) => this.#again(error),
      );
    } catch (error) {
      return this.#failWith(error);
    }
  }

  /** Never rejects: no PDF may cost a submission. */
  async #makePdf(scope: Scope): Promise<Pdf> {
    const { form, tell } = this.#context;
    const { deadline, values } = this.#submission;
    const doubt = form.ownNames && doubtIn(values);
    const timeoutMs = Math.min(mostPdfMs, (deadline - this.#startedAt) / 2);
    try {
      const { makePdf } = await latePdf.load();
      const made = await makePdf(
        this.#output,
        { ...this.#submission, formId: form.id, doubt },
        scope,
        timeoutMs,
      );
      if (made && !made.isComplete) this.#warn(['pdf_characters_replaced']);
      if (made) {
        tell({ kind: 'pdf_made', output: this.#index, type: this.#output.type, file: made.file });
        return made.file;
      }
    } catch (error) {
      tell({ kind: 'broken', error });
    }
    this.#warn(['pdf_left_out']);
    return 'failed';
  }

  /** For all tries together. */
  get #timeoutMs(): number {
    return Math.min(this.#output.timeout, this.#submission.deadline - this.#startedAt);
  }

  get #ms(): number {
    return this.#context.effects.now() - this.#startedAt;
  }

  #attempt(message: Message, timeoutMs: number): Promise<unknown> {
    const { transports, tell } = this.#context;
    const { type, verdict } = this.#output;
    this.#attempts += 1;
    const attempt = this.#attempts;
    tell({
      kind: 'delivery_tried',
      output: this.#index,
      type,
      attempt,
      message,
      trace: this.#trace as Trace,
    });
    const sent: unknown = transportOf(transports, message).send(message, timeoutMs);
    // An effect of the owner's own may return no promise.
    const sending = sent instanceof Promise ? sent : Promise.resolve(sent);
    if (!verdict) return sending;
    return sending.then((answer) => {
      if (answer !== pretendedAnswer) this.#found = verdict(answer);
      return answer;
    });
  }

  #take(answer: unknown): 'taken' | DeliveryError {
    const { transports, tell } = this.#context;
    const { type } = this.#output;
    try {
      const warning = transportOf(transports, this.#message as Message).warningOf?.(answer);
      if (warning) this.#warn([warning]);
      this.#warn(this.#found);
      tell({
        kind: 'delivered',
        output: this.#index,
        type,
        payload: this.#payload,
        answer,
        attempts: this.#attempts,
        ms: this.#ms,
      });
      return 'taken';
    } catch (error) {
      return this.#failWith(error);
    }
  }

  /** Tries again where that may help, after a first try that failed. */
  async #again(error: unknown): Promise<'taken' | DeliveryError> {
    const { effects, tell } = this.#context;
    const { type, retries } = this.#output;
    const rule = {
      retries,
      timeoutMs: this.#timeoutMs,
      firstWaitMs: 1_000,
      onRetry: (error: ClientError) =>
        tell({
          kind: 'delivery_retried',
          output: this.#index,
          type,
          error: withoutEcho(error, this.#submission.values),
          ms: this.#ms,
        }),
    };
    const attempt = (timeoutMs: number) => this.#attempt(this.#message as Message, timeoutMs);
    try {
      return this.#take(await tryAgain(error, attempt, rule, this.#startedAt, effects));
    } catch (error) {
      return this.#failWith(error);
    }
  }

  #warn(warnings: readonly DeliveryWarning[] | undefined): void {
    if (!warnings) return;
    const { type } = this.#output;
    for (const warning of warnings)
      this.#context.tell({ kind: 'delivery_warned', output: this.#index, type, warning });
  }

  #failWith(error: unknown): DeliveryError {
    const { on_error: onError } = this.#output;
    if (error instanceof ClientError) return this.#fail(withoutEcho(error, this.#submission.values), onError);
    this.#context.tell({ kind: 'broken', error });
    return this.#fail('internal_error', onError);
  }

  #fail(error: DeliveryError, onError: 'fail' | 'continue'): DeliveryError {
    const { tell, keep } = this.#context;
    tell({
      kind: 'delivery_failed',
      output: this.#index,
      type: this.#output.type,
      payload: this.#payload,
      error,
      onError,
      attempts: this.#attempts,
      ms: this.#ms,
      ...(keep && ({ isKept: true } as const)),
    });
    return error;
  }
}

const nothing: Job['payload'] = [];

/** One takes a tenth of a second; this is for many at once. */
const mostPdfMs = 5_000;

/** A service may give back what a visitor wrote where its code should stand. No log holds that. */
function withoutEcho(error: ClientError, values: Values): ClientError {
  const code = serviceCodeIn(error);
  if (code === undefined) return error;
  const isSubmitted = [...values.values()].flat().some((value) => value.split(/[\s,;]+/).includes(code));
  return isSubmitted ? withoutServiceCode(error) : error;
}
