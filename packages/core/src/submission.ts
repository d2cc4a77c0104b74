import type { ClientError } from './base/client_error.ts';
import type { Files, SentFile } from './base/files.ts';
import type { MaybePromise } from './base/maybe_promise.ts';
import type { TraceContext } from './base/trace_context.ts';
import type { Values } from './base/values.ts';
import type { Form } from './form.ts';
import type { RelayRequest, RelayResponse } from './http/request.ts';
import type { Outcome } from './outcome.ts';
import type { Trace } from './pipeline/context.ts';
import type { SentLists } from './plugin.ts';
import type { Page } from './schema/template.ts';
import type { LogLevel, Services } from './services.ts';
import type { Settings } from './settings.ts';

/** The data that an output sends: each key once, with its values in the order submitted; keys sorted by code point. */
export type Payload = readonly (readonly [key: string, values: readonly string[]])[];

/** The result of one output, for the log and for features that act after the delivery. */
export interface DeliveryResult {
  /** The index in the form's `outputs`. */
  readonly output: number;
  readonly type: string;
  readonly outcome: string;
  readonly tries: number;
  readonly ms: number;
  /** Why it failed, for the owner. Absent after a success. */
  readonly reason?: string;
  /** The failure, for features that decide whether to retry. */
  readonly error?: ClientError | 'internal_error' | 'unregistered_type';
}

/** A submission in the pipeline of its form. Features may set what is not `readonly`. */
export interface Submission {
  readonly form: Form;
  readonly formId: string;
  /** Outputs get it under this id and time. One that is sent again may keep those of its first try. */
  requestId: string;
  /** In milliseconds since the epoch. */
  receivedAt: number;
  /** When all its timeouts end, in milliseconds since the epoch. */
  readonly deadline: number;
  readonly request: RelayRequest;
  readonly services: Services;
  readonly settings: Settings;
  readonly tracing: TraceContext;
  /** Whether a page of the relay's own sent it, on which its sender ends. */
  readonly isFromOwnPage: boolean;
  /** It comes from a server that has a key of the form, so features that are `browsersOnly` are skipped. Set in `onRequest`. */
  isTrusted: boolean;
  /** The submitted values of inputs that the form knows; empty until the body is read. */
  sent: Values;
  sentFiles: Files<SentFile>;
  /** Of a JSON body. */
  sentLists: SentLists | undefined;
  /** Files that passed validation, by field. `values` has their names and sizes. */
  files: Files;
  /** What outputs get; empty until validation has passed. Features may add to it in `afterValidation`. */
  values: Values;
  /** The page on which the form was filled in, for forms that ask for it. Set by a feature. */
  page: Page | undefined;
  /** The result of each output, by its index; empty before the delivery. */
  readonly deliveries: (DeliveryResult | undefined)[];
  /** Set in dry runs alone, so explanations cost nothing elsewhere: `trace?.note(…)`. */
  readonly trace: Trace | undefined;
  /** State that features share about this submission, by their own symbols. */
  setState(key: symbol, value: unknown): void;
  getState(key: symbol): unknown;
  /** Logs an event about it, under its ids and its form. `fields` hold no submitted value. */
  log(level: LogLevel, event: string, fields?: object): void;
  /** Adds members to its line in the log. They hold no submitted value. */
  addLogFields(fields: Readonly<Record<string, unknown>>): void;
  readonly logFields: Readonly<Record<string, unknown>> | undefined;
  /** The answer that its sender would get to an outcome. */
  respond(outcome: Outcome): MaybePromise<RelayResponse>;
  /** Runs work after the answer if the process lives on, and before it otherwise (Lambda). */
  defer(work: () => Promise<void>): MaybePromise<void>;
}

/** Set to `true` by checks that asked a service outside: the submission then counts for limits, whatever becomes of it. */
export const hasAskedOthers = Symbol('has asked others');

/** The rest of a pipeline. Returns how the submission ends; never rejects. */
export type Handler = (submission: Submission) => MaybePromise<Outcome>;

/** Wraps the rest of a pipeline, once, when the form is compiled: a submission allocates nothing for it. */
export type Middleware = (next: Handler) => Handler;

/** Middleware that only decides: `undefined` continues, an outcome ends the submission. */
export const guard =
  (check: (submission: Submission) => MaybePromise<Outcome | undefined>): Middleware =>
  (next) =>
  (submission) => {
    const end = check(submission);
    if (end instanceof Promise) return end.then((one) => one ?? next(submission));
    return end ?? next(submission);
  };

/** Middleware that only looks at the outcome, and may replace it. */
export const onOutcome =
  (look: (outcome: Outcome, submission: Submission) => MaybePromise<Outcome>): Middleware =>
  (next) =>
  (submission) => {
    const ending = next(submission);
    return ending instanceof Promise
      ? ending.then((outcome) => look(outcome, submission))
      : look(ending, submission);
  };
