import type { MaybePromise } from '@form-relay/base/maybe_promise';
import { type TraceContext, traceOf } from '@form-relay/base/trace_context';
import { noValues, type Values } from '@form-relay/base/values';
import type { Form } from '../form.ts';
import type { Outcome } from '../submission.ts';
import { type AnswerContext, respond } from './answers.ts';
import type { App } from './app.ts';
import { forNoPage, publicCors } from './cors.ts';
import type { RelayResponse } from './request.ts';
import type { RequestContext } from './resolve.ts';
import type { Span } from './under_way.ts';

/** Completes an answer with what each has: the request's id, and which pages may read it. */
export function finish(app: App, context: RequestContext, answer: RelayResponse): RelayResponse {
  app.underWay.end(context.span as Span);
  const { status, headers, body, isFixed } = answer;
  const ofCors = corsOf(app, context, status);
  const all: Record<string, string> = Object.assign({ 'x-request-id': context.requestId }, headers, ofCors);
  if (headers.vary !== undefined && ofCors.vary !== undefined) all.vary = `${ofCors.vary}, ${headers.vary}`;
  const complete = { status, headers: all, body: context.request.method === 'HEAD' ? '' : body };
  return isFixed ? { ...complete, isFixed } : complete;
}

function corsOf(
  app: App,
  { submission, endpoint, request }: RequestContext,
  status: number,
): Readonly<Record<string, string>> {
  // Keys belong to servers, not to pages; also wrong ones.
  if (submission?.isTrusted || status === 401) return forNoPage;
  return endpoint?.publicRoute ? publicCors : app.cors(request.headers.origin);
}

type Answered = Pick<RequestContext, 'request' | 'requestId' | 'submission'>;

/** The context of the answer to an outcome. */
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
    firstForm: form ? undefined : config.current?.forms.values().next().value,
    sent: submission && submission.sent !== noValues ? submission.sent : sent,
    sentFiles: submission?.sentFiles,
    isTrusted: submission?.isTrusted === true,
    settings,
    services,
    renderers,
    english,
    now: services.now(),
  };
}

/** Answers before a config is waited for: with the form as far as it is known. */
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
