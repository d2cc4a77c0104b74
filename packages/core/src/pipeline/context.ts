import { type Client, readClient } from '@form-relay/base/client';
import type { MaybePromise } from '@form-relay/base/maybe_promise';
import {
  hopsHeader,
  hopsIn,
  type TraceContext,
  traceOf,
  tracingHeaders,
} from '@form-relay/base/trace_context';
import type { Span } from '@form-relay/base/under_way';
import { type Files, noFiles, noValues, type SentFile, type Values } from '@form-relay/base/values';
import { signalAfter } from '@form-relay/base/with_timeout';
import type { Form } from '../form.ts';
import { jsonAnswer } from '../html/fragments.ts';
import { boundHttp, type Http } from '../http/bound_http.ts';
import type { RelayRequest, RelayResponse } from '../http/request.ts';
import type { RouteContext, SentLists } from '../plugin.ts';
import type { LogLevel, Services } from '../services.ts';
import type { Settings } from '../settings.ts';
import type { Begun, DeliveryResult, Outcome, Submission } from '../submission.ts';

const countedAlways = Symbol('counted always');

/** Used instead of an output's index, for the trace. */
export const hooksIndex = 254;

/** From the request to the response: 25 s (SPEC: Limits), less the time to read and respond. */
const budgetMs = 24_000;

export interface SharedContext {
  readonly services: Services;
  readonly settings: Settings;
  readonly follow: (work: () => Promise<void>, span?: Span) => void;
  /** Absent outside of requests. */
  readonly respond?: (outcome: Outcome, submission: SubmissionContext) => MaybePromise<RelayResponse>;
}

/** A submission, from its request to its log line. A class, so that methods take no memory per submission. */
export class SubmissionContext implements Submission {
  requestId: string;
  receivedAt: number;
  readonly deadline: number;
  readonly request: RelayRequest;
  isTrusted = false;
  sent: Values = noValues;
  sentFiles: Files<SentFile> = noFiles;
  sentLists: SentLists | undefined;
  files: Files = noFiles;
  values: Values = noValues;
  page: Submission['page'];
  readonly deliveries: (DeliveryResult | undefined)[] = [];
  begun: Begun | undefined;
  #state: Map<symbol, unknown> | undefined;
  logFields: Readonly<Record<string, unknown>> | undefined;
  readonly #shared: SharedContext;
  /** By the request's own id, because `requestId` of a repeated submission may be that of its first attempt. */
  readonly tracing: TraceContext;
  #client: Client | undefined;
  #ending: ReturnType<typeof signalAfter> | undefined;
  #http: Http | undefined;
  #isFollowed = false;
  readonly #span: Span | undefined;
  readonly form: Form;
  readonly formId: string;
  readonly services: Services;
  readonly settings: Settings;
  readonly trace: Trace | undefined;

  constructor(form: Form, requestId: string, request: RelayRequest, shared: SharedContext, span?: Span) {
    this.form = form;
    this.#span = span;
    this.requestId = requestId;
    this.request = request;
    this.#shared = shared;
    this.formId = form.id;
    this.services = form.services;
    this.settings = shared.settings;
    this.trace = form.services.isDryRun ? new Trace() : undefined;
    this.receivedAt = shared.services.now();
    const { timeLeftMs = Infinity, headers } = request;
    const { [hopsHeader]: hops, traceparent } = headers;
    this.tracing = traceOf(traceparent, requestId, form.services.uuid, hops === undefined ? 0 : hopsIn(hops));
    this.deadline = this.receivedAt + Math.min(budgetMs, timeLeftMs - 1_000);
  }

  static resume(
    form: Form,
    request: RelayRequest,
    shared: SharedContext,
    { requestId, ...about }: Parameters<RouteContext['resume']>[0],
    span?: Span,
  ): Submission {
    const submission = new SubmissionContext(form, requestId, request, shared, span);
    return Object.assign(submission, about);
  }

  get #leftMs(): number {
    return Math.max(0, this.deadline - this.services.now());
  }

  get signal(): AbortSignal {
    const { requestId } = this;
    this.#ending ??= signalAfter(
      this.#leftMs,
      new Error(`the time limit of the submission ${requestId} has passed`),
    );
    return this.#ending.signal;
  }

  get http(): Http {
    this.#http ??= boundHttp({
      services: this.services,
      signal: this.signal,
      timeoutMs: this.#leftMs,
      parts: { tracing: tracingHeaders(this.tracing, hooksIndex) },
      onSend: () => this.countAlways(),
    });
    return this.#http;
  }

  /** Call this after the response. Remaining work may use the rest of the submission's time. */
  conclude(): void {
    if (!this.#isFollowed) this.#ending?.clear();
  }

  get client(): Client {
    this.#client ??= readClient(this.request, this.settings);
    return this.#client;
  }

  get isFromOwnPage(): boolean {
    const { form, request } = this;
    return form.renderers.some((one) => one.isOwnPage?.(request, form));
  }

  setState(key: symbol, value: unknown): void {
    this.#state ??= new Map();
    this.#state.set(key, value);
  }

  getState(key: symbol): unknown {
    return this.#state?.get(key);
  }

  countAlways(): void {
    this.setState(countedAlways, true);
  }

  get isCountedAlways(): boolean {
    return this.getState(countedAlways) === true;
  }

  log(level: LogLevel, event: string, fields?: object): void {
    const { requestId, tracing, formId } = this;
    const about = { request_id: requestId, trace_id: tracing.traceId, form: formId };
    this.services.log(level, event, { ...about, ...fields });
  }

  addLogFields(fields: Readonly<Record<string, unknown>>): void {
    this.logFields = { ...this.logFields, ...fields };
  }

  respond(outcome: Outcome): MaybePromise<RelayResponse> {
    return this.#shared.respond?.(outcome, this) ?? jsonAnswer(outcome.status, {});
  }

  defer(work: () => Promise<void>): MaybePromise<void> {
    if (!this.request.livesOn) return work();
    this.#isFollowed = true;
    return this.#shared.follow(work, this.#span);
  }
}

/** A submission of stored values, outside of a request: for the rest of its pipeline, and for further deliveries. */
export const restoreSubmission = (
  form: Form,
  about: Parameters<RouteContext['resume']>[0],
  settings: Settings,
): Submission => {
  const follow: SharedContext['follow'] = (work) => void work();
  return SubmissionContext.resume(form, noRequest, { services: form.services, settings, follow }, about);
};

const noRequest: RelayRequest = { method: 'POST', path: '', query: '', headers: {}, body: undefined };

/** The decision of each feature about a submission in a dry run, in order: for `relay explain` and the studio. */
export class Trace {
  /** @internal */ readonly steps: TraceStep[] = [];
  /** @internal The addresses of mails to the visitor, by the form's key that requests the mail. */
  readonly mailTargets = new Map<string, string>();

  /** @internal */ enter(feature: string): void {
    this.steps.push({ feature, result: 'ended', notes: [] });
  }

  /** @internal */ pass(feature: string): void {
    const step = this.steps.findLast((one) => one.feature === feature);
    if (step) step.result = 'passed';
  }

  /** Explains the decision of the feature that is running, in words for the owner. */
  note(words: string): void {
    this.steps.findLast(({ result }) => result === 'ended')?.notes.push(words);
  }

  /** @internal Further findings, as plain members. */
  detail(members: Readonly<Record<string, unknown>>): void {
    const step = this.steps.findLast(({ result }) => result === 'ended');
    if (step) step.details = { ...step.details, ...members };
  }
}

export interface TraceStep {
  readonly feature: string;
  result: 'passed' | 'ended';
  readonly notes: string[];
  details?: Readonly<Record<string, unknown>>;
}
