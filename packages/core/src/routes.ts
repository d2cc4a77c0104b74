import type { Files, SentFile } from './base/files.ts';
import type { MaybePromise } from './base/maybe_promise.ts';
import type { Values } from './base/values.ts';
import type { Form } from './form.ts';
import type { RelayRequest, RelayResponse, RequestHead } from './http/request.ts';
import type { Outcome } from './outcome.ts';
import type { PluginContext } from './plugin.ts';
import type { RenderContext } from './rendering.ts';
import type { Submission } from './submission.ts';

/** An API address that a feature answers: `/api/v1/<name>/{form}`. */
export interface Route {
  readonly name: string;
  /** OPTIONS is always answered; GET includes HEAD. */
  readonly method: 'GET' | 'POST' | 'GET, POST';
  /** The size limit of bodies. Default: 64 KB. */
  readonly maxBodyBytes?: number;
  /** Replaces the throttle, so that its requests and visitors' don't share a limit: the seconds to wait; `undefined`: it may pass. */
  readonly waitSeconds?: (head: RequestHead, context: PluginContext) => number | undefined;
  /** Requests that would have to wait are dropped as if they were accepted, because their clients read no answer. */
  readonly dropsExcess?: true;
  readonly answer: (call: RouteContext) => MaybePromise<RelayResponse>;
}

/** An address about no form: a script, a style sheet, public keys; or one that another service posts to. */
export interface PublicRoute extends Partial<Pick<Route, 'maxBodyBytes' | 'waitSeconds'>> {
  readonly matches: (path: string) => boolean;
  /** Default: GET, for pages of every origin. */
  readonly method?: 'POST';
  /** Caches keep it, so the throttle lets it pass. */
  readonly isFree?: true;
  readonly answer: (
    request: RelayRequest,
    context: PluginContext,
    requestId: string,
  ) => MaybePromise<RelayResponse>;
}

export interface RouteContext extends PluginContext {
  readonly request: RelayRequest;
  readonly form: Form;
  readonly requestId: string;
  /** Answers with an outcome in the format that the client wants. */
  respond(outcome: Outcome): MaybePromise<RelayResponse>;
  /** What renderers get, for routes that render an answer of their own. */
  renderContext(): RenderContext;
  /** Restores a stored submission, to run the rest of a pipeline: `respond(await next(resume(stored)))`. */
  resume(
    about: Pick<Submission, 'requestId' | 'receivedAt' | 'values'> & Partial<Pick<Submission, 'files'>>,
  ): Submission;
  /** Tells observers how a restored submission ended, and how it was answered: the log has a line for it. */
  observe(submission: Submission, outcome: Outcome, answer: RelayResponse): void;
}

/** Reads bodies of one media type. */
export interface BodyParser {
  /** In lower case, such as `multipart/form-data`. */
  readonly mediaType: string;
  /** The size limit. Bodies up to 64 KB count towards BODY_BYTES_LIMIT, larger ones towards UPLOAD_BUDGET. */
  readonly maxBytes: number;
  readonly parse: (body: Uint8Array, contentType: string) => MaybePromise<ParsedBody | Outcome>;
  /** Only trusted servers may send it. */
  readonly isForServers?: true;
}

export interface ParsedBody {
  readonly values: Values;
  readonly files?: Files<SentFile>;
  readonly lists?: SentLists;
}

/** For each field whose values came in a list (JSON): the indices of the values that are not empty. */
export type SentLists = ReadonlyMap<string, readonly number[]>;
