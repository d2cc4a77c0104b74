import type { MaybePromise } from '@form-relay/base/maybe_promise';
import { type TraceContext, traceOf } from '@form-relay/base/trace_context';
import type { Span } from '@form-relay/base/under_way';
import { noValues, type Values } from '@form-relay/base/values';
import type { Form } from '../form.ts';
import type { Settings } from '../settings.ts';
import type { Outcome } from '../submission.ts';
import { type AnswerContext, respond } from './answers.ts';
import type { App } from './app.ts';
import type { RelayResponse, RequestHead } from './request.ts';
import { type RequestContext, submitPath } from './resolve.ts';

/** Adds what every response has: the request's id, and which pages may read the response. */
export function finish(app: App, context: RequestContext, answer: RelayResponse): RelayResponse {
  app.underWay.end(context.span as Span);
  const { status, headers, body, isFixed, isBase64 } = answer;
  const { submission, endpoint, request } = context;
  // Keys belong to servers, not to pages. This includes wrong keys.
  const isPrivate = submission?.isTrusted || status === 401;
  const ofOthers = endpoint?.publicRoute ? publicCors : app.cors(request.headers.origin);
  const ofCors: Readonly<Record<string, string>> = isPrivate ? forNoPage : ofOthers;
  const all: Record<string, string> = Object.assign({ 'x-request-id': context.requestId }, headers, ofCors);
  if (headers.vary !== undefined && ofCors.vary !== undefined) all.vary = `${ofCors.vary}, ${headers.vary}`;
  const complete = { status, headers: all, body: request.method === 'HEAD' ? '' : body };
  return isFixed ? { ...complete, isFixed, ...(isBase64 && { isBase64 }) } : complete;
}

type Answered = Pick<RequestContext, 'request' | 'requestId' | 'submission'>;

/** The context of the response to an outcome. */
export function answerContext(
  { config, registry, settings, services }: App,
  { request, requestId, submission }: Answered,
  form?: Form,
  sent?: Values,
): AnswerContext {
  const { renderers, english } = registry();
  return {
    request,
    requestId,
    form,
    forms: config.current?.forms,
    sent: submission && submission.sent !== noValues ? submission.sent : sent,
    sentFiles: submission?.sentFiles,
    isPlain: isPlain(request),
    isTrusted: submission?.isTrusted === true,
    settings,
    services,
    renderers,
    english,
    now: services.now(),
  };
}

/** Whether a program submits a form without naming a format: no header of htmx or browsers, nothing in the query. */
const isPlain = ({ path, query, headers: { accept = '*/*', 'hx-request': htmx } }: RequestHead): boolean =>
  accept === '*/*' && query === '' && htmx === undefined && path.startsWith(submitPath);

/** Responds before a config is loaded, with the form if it is known. */
export const answerEarly = (
  app: App,
  context: RequestContext,
  outcome: Outcome,
  sent?: Values,
): MaybePromise<RelayResponse> =>
  respond(outcome, answerContext(app, context, app.config.current?.forms.get(context.formId ?? ''), sent));

export const tracingOf = ({ services }: App, { request, requestId, submission }: Answered): TraceContext =>
  submission?.tracing ?? traceOf(request.headers.traceparent, requestId, services.uuid);

export const idsOf = (app: App, context: RequestContext) => ({
  request_id: context.requestId,
  trace_id: tracingOf(app, context).traceId,
});

/** For `Allow`, and for the matching header in a response to a preflight. */
export const methodsFor = (allowed: Allowed) => `${listed[allowed]}, OPTIONS`;

export type Allowed = keyof typeof listed;

const listed = { GET: 'GET, HEAD', POST: 'POST', 'GET, POST': 'GET, HEAD, POST' } as const;

/** Every request header that htmx 2 or 4 sends, and the one that makes posting a form cross-origin safe. */
const allowedHeaders = [
  'content-type, hx-boosted, hx-current-url, hx-current-url-uri-autoencoded, hx-history-restore-request',
  'hx-prompt, hx-prompt-uri-autoencoded, hx-request, hx-request-type, hx-source, hx-target',
  'hx-target-uri-autoencoded, hx-trigger, hx-trigger-name, hx-trigger-name-uri-autoencoded',
  'hx-trigger-uri-autoencoded',
].join(', ');

/** The response to OPTIONS: what a page of another origin may send. */
export const preflight = (allowed: Allowed): RelayResponse => ({
  status: 204,
  headers: {
    'access-control-allow-methods': methodsFor(allowed),
    'access-control-allow-headers': allowedHeaders,
    'access-control-max-age': '7200',
  },
  body: '',
});

/** The headers that the relay sends, and those that htmx 2 reads: unexposed ones log an error in the console. */
const exposedHeaders = [
  'HX-Location, HX-Push, HX-Push-Url, HX-Redirect, HX-Refresh, HX-Replace-Url, HX-Reselect, HX-Reswap',
  'HX-Retarget, HX-Trigger, HX-Trigger-After-Settle, HX-Trigger-After-Swap, Retry-After, X-Request-Id',
].join(', ');

/** Headers on which responses depend, in addition to the URL. */
const vary = 'Origin, HX-Request, Accept, Sec-Fetch-Mode';

/** Which pages may read the response. Other pages are still served: CORS only protects readers. */
export function corsHeaders(allowed: Settings['allowedOrigins']) {
  const exposed = { vary, 'access-control-expose-headers': exposedHeaders };
  const forAll = { ...exposed, 'access-control-allow-origin': '*' };
  const withoutOrigin = { vary, ...(allowed === '*' && { 'access-control-allow-origin': '*' }) };
  return (origin: string | undefined): Readonly<Record<string, string>> => {
    if (origin === undefined) return withoutOrigin;
    if (allowed === '*') return forAll;
    return allowed.has(origin) ? { ...exposed, 'access-control-allow-origin': origin } : exposed;
  };
}

/** For responses that no page may read. */
export const forNoPage = { vary } as const;

/** Every page may load what is the same for all visitors, whatever `ALLOWED_ORIGINS` says. */
export const publicCors = {
  'access-control-allow-origin': '*',
  // For pages that are isolated by Cross-Origin-Embedder-Policy.
  'cross-origin-resource-policy': 'cross-origin',
} as const;
