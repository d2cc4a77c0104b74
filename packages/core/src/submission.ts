import type { Client } from '@form-relay/base/client';
import type { ClientError } from '@form-relay/base/client_error';
import type { HtmlValue } from '@form-relay/base/html';
import type { MaybePromise } from '@form-relay/base/maybe_promise';
import type { TraceContext } from '@form-relay/base/trace_context';
import type { Files, SentFile, Values } from '@form-relay/base/values';
import type { LocalizedText } from '@form-relay/schema/scalars';
import type { Page } from '@form-relay/schema/template';
import type { Form } from './form.ts';
import type { Http } from './http/bound_http.ts';
import type { RelayRequest, RelayResponse } from './http/request.ts';
import type { Locale, Message } from './messages/message.ts';
import type { Trace } from './pipeline/context.ts';
import type { SentLists } from './plugin.ts';
import type { LogLevel, Services } from './services.ts';
import type { Settings } from './settings.ts';

/** The data that an output sends: each key once, with its values in submitted order; keys sorted by code point. */
export type Payload = readonly (readonly [key: string, values: readonly string[]])[];

/** The result of one output, for the log and for features that act after the delivery. */
export interface DeliveryResult {
  /** The index in the form's `outputs`. */
  readonly output: number;
  readonly type: string;
  readonly outcome: string;
  /** @internal */ readonly tries: number;
  /** @internal */ readonly ms: number;
  /** Why it failed, for the owner. Absent after a success. */
  readonly reason?: string;
  /** The failure, for features that decide whether to retry. */
  readonly error?: ClientError | 'internal_error' | 'unregistered_type';
}

/** A submission in the pipeline of its form. Features may set members that are not `readonly`. */
export interface Submission {
  readonly form: Form;
  readonly formId: string;
  /** Outputs get this id and time. A submission that is sent again may keep those of its first attempt. */
  requestId: string;
  /** In milliseconds since the epoch. */
  receivedAt: number;
  /** When all its timeouts end, in milliseconds since the epoch. */
  readonly deadline: number;
  readonly request: RelayRequest;
  readonly services: Services;
  /** @internal */ readonly settings: Settings;
  /** @internal */ readonly tracing: TraceContext;
  /** Aborts when its time is up: the visitor sees an error, and nothing may be delivered afterwards. */
  readonly signal: AbortSignal;
  /** Sends requests within its time limit. The submission then counts for limits, whatever its outcome (`countAlways`). */
  readonly http: Http;
  /** The client, as reported by the proxies. */
  readonly client: Client;
  /** @internal Whether one of the relay's own pages submitted it. The visitor then gets a page again. */
  readonly isFromOwnPage: boolean;
  /** Whether a server with a key of the form sent it, which skips features that are `browsersOnly`. Set in `onRequest`. */
  isTrusted: boolean;
  /** The submitted values of inputs that the form knows; empty until the body is read. */
  sent: Values;
  sentFiles: Files<SentFile>;
  /** @internal The lists of a JSON body. */
  sentLists: SentLists | undefined;
  /** Files that passed validation, by field. `values` has their names and sizes. */
  files: Files;
  /** The values for outputs; empty until validation has passed. Features may add to it in `afterValidation`. */
  values: Values;
  /** @internal The page on which the form was filled in, for forms that ask for it. Set by a feature. */
  page: Page | undefined;
  /** The result of each output, by its index; empty before the delivery. */
  readonly deliveries: (DeliveryResult | undefined)[];
  /** @internal The outcomes of the delivery steps that have begun, the latest first. */
  begun: Begun | undefined;
  /** Set only in dry runs, so explanations cost nothing otherwise: `trace?.note(…)`. */
  readonly trace: Trace | undefined;
  /** @internal State that features share about this submission, by their own symbols. */
  setState(key: symbol, value: unknown): void;
  /** @internal */ getState(key: symbol): unknown;
  /** @internal Counts it for `rate_limit`, whatever its outcome: a check called an external service, at a cost. */
  countAlways(): void;
  /** @internal */ readonly isCountedAlways: boolean;
  /** Logs an event about it, with its ids and its form. `fields` contain no submitted value. */
  log(level: LogLevel, event: string, fields?: object): void;
  /** Adds members to its line in the log. The members contain no submitted value. */
  addLogFields(fields: Readonly<Record<string, unknown>>): void;
  /** @internal */ readonly logFields: Readonly<Record<string, unknown>> | undefined;
  /** @internal The response that its sender would get for an outcome. */
  respond(outcome: Outcome): MaybePromise<RelayResponse>;
  /** Runs work after the response if the process continues, and before it otherwise (Lambda). */
  defer(work: () => Promise<void>): MaybePromise<void>;
}

/** A step of a delivery that has begun, and the previous steps. */
export interface Begun {
  readonly step: Handler;
  readonly outcome: MaybePromise<Outcome>;
  readonly before: Begun | undefined;
}

/** The rest of a pipeline. Returns the submission's outcome; never rejects. */
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

/** Middleware that only sees the outcome, and may replace it. */
export const onOutcome =
  (look: (outcome: Outcome, submission: Submission) => MaybePromise<Outcome>): Middleware =>
  (next) =>
  (submission) => {
    const ending = next(submission);
    return ending instanceof Promise
      ? ending.then((outcome) => look(outcome, submission))
      : look(ending, submission);
  };

/** A field that failed validation, and how the visitor can correct it. */
export interface FieldError extends Message {
  readonly field: string;
  /** The index of the invalid value among the non-empty ones; `undefined` if the error concerns all or none. */
  readonly at?: number | undefined;
  /** @internal The pointer to the invalid value in a JSON body (RFC 6901). Default: the field's. */
  readonly pointer?: string | undefined;
}

/** The result of a submission. An outcome has everything that the response needs; features create their own. */
export interface Outcome {
  /** For the log and metrics: `delivered`, `dropped`, `invalid`, … */
  readonly kind: string;
  readonly status: number;
  /** The error for the visitor. Absent if the response reports success. */
  readonly message?: Message;
  /** Replaces the form's confirmation after a success. */
  readonly says?: LocalizedText | Message | ((locale: Locale) => string);
  /** The form's `confirmation` and `redirect` for this submission. */
  readonly confirmation?: (locale: Locale) => string;
  readonly redirect?: (locale: Locale) => string;
  /** @internal Codes for the sender to save, such as a receipt, by name: the key in JSON, and the code of its message. */
  readonly codes?: Readonly<Record<string, string>>;
  /** Fragments render the form again with the message, as for a challenge. */
  readonly showsForm?: true;
  /** Whether the form asks for more instead of reporting a mistake: the page's title then does not say "Error". */
  readonly isQuestion?: boolean;
  /** @internal The owner's text below the message, which may contain links: `[words](https://…)`. */
  readonly ownersText?: LocalizedText | undefined;
  /** @internal The form cannot be filled in now: a page that would show the form has the message instead. */
  readonly isClosed?: true;
  /** Invalid fields; the form is rendered again with them. */
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** A finished response that replaces the generated one, except for `headers`. */
  readonly answer?: RelayResponse;
  /** More members of a JSON response. */
  readonly json?: object;
  /** @internal The data that programs need to send the form again. */
  readonly resend?: {
    /** For scripts of forms: a new token, with everything that belongs to it. */
    readonly token: () => object;
    /** Members of a JSON response that the sender has to use. */
    readonly demanded: () => object;
  };
  /** More markup of a fragment, below the message. */
  readonly html?: HtmlValue;
  /** The reason for the owner's log. Contains no submitted value. */
  readonly why?: string;
  /** @internal Whether it may be frequent: the log then gets one line a second, with the number of requests. */
  readonly isFrequent?: true;
  readonly level?: LogLevel;
  /** The check that ended it. */
  readonly by?: string;
  /** The check's finding, for metrics. Default: `kind`. */
  readonly code?: string;
}

export const delivered: Outcome = { kind: 'delivered', status: 200 };
export const undelivered: Outcome = {
  kind: 'undelivered',
  status: 500,
  message: { code: 'undelivered' },
  level: 'error',
};

/** A bug in the relay or in a plug-in. */
export const internalError: Outcome = {
  kind: 'internal_error',
  status: 500,
  message: { code: 'internal_error' },
  level: 'error',
};

/** Signing and sealing need FORM_TOKEN_SECRET. */
export const noTokenSecret: Outcome = {
  kind: 'no_token_secret',
  status: 500,
  message: { code: 'no_token_secret' },
  why: 'FORM_TOKEN_SECRET is not set',
  level: 'error',
};

/** A bot, which gets the same response as a delivered submission. */
export const dropped = (by: string, why: string, code?: string): Outcome => ({
  kind: 'dropped',
  status: 200,
  by,
  why,
  ...(code !== undefined && { code }),
});

/** The log uses the same kind for all malformed requests, with the message as the reason. */
export const refused = (status: number, code: string, params?: Message['params']): Outcome => ({
  kind: status === 400 ? 'bad_request' : code,
  status,
  message: { code, params },
});

/** Adds the reason for rejecting a malformed request, which is the text that its sender reads. */
export function explained(outcome: Outcome, { translate }: Pick<Locale, 'translate'>): Outcome {
  const { kind, message, why } = outcome;
  if (kind !== 'bad_request' || !message || why !== undefined) return outcome;
  // The names in a body are the sender's own words.
  const params =
    message.params?.pointer === undefined ? message.params : { ...message.params, pointer: '/…' };
  return { ...outcome, why: translate({ code: message.code, params }) };
}

/** Whether the sender will not send it again, so that what was counted for it remains counted. */
export const isFinal = ({ kind, message }: Outcome): boolean =>
  message === undefined || kind === 'captcha_failed';

/** Logs an accepted submission as delivered only if an output has it, otherwise by its result, such as `kept`. */
export function outcomeInLog({ kind }: Outcome, deliveries: Submission['deliveries'] | undefined): string {
  if (kind !== 'delivered' || !deliveries || deliveries.some((one) => one?.outcome === 'delivered'))
    return kind;
  const others = new Set(deliveries.map((one) => one?.outcome).filter((one) => one !== 'skipped'));
  const [only] = others;
  return others.size === 1 && only !== undefined && only !== 'failed' ? only : kind;
}
