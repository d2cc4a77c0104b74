import { chain, type MaybePromise } from '@form-relay/base/maybe_promise';
import { Try } from '@form-relay/base/retries';
import { tracingHeaders } from '@form-relay/base/trace_context';
import type { Form } from '../form.ts';
import { hooksIndex, SubmissionContext } from '../pipeline/context.ts';
import type { Route } from '../plugin.ts';
import { type Outcome, refused } from '../submission.ts';
import { overloaded } from './admission.ts';
import { formAnswer, renderContext, respond, routeAnswer } from './answers.ts';
import type { App } from './app.ts';
import { boundHttp } from './bound_http.ts';
import { methodsFor, preflight } from './cors.ts';
import { answerContext, answerEarly, idsOf, tracingOf } from './finish.ts';
import type { RelayResponse } from './request.ts';
import { type Endpoint, probe, type RequestContext, submitting } from './resolve.ts';
import { formNamed, noConfig, submit } from './submit.ts';

/** Leads a request to what answers it: a probe, a submission, the form itself, or a route of a plug-in. */
export function route(app: App, context: RequestContext): MaybePromise<RelayResponse> {
  const { request, refusal, endpoint } = context;
  if (endpoint === probe) return app.health(request);
  if (refusal) {
    if (refusal.kind === 'throttled') app.logThrottled(context.requestId);
    return answerEarly(app, context, refusal);
  }
  if (request.method === 'POST' && app.underWay.requests > app.settings.submissionLimit) {
    app.logOverload();
    return answerEarly(app, context, overloaded);
  }
  // Plug-ins that the first config loads may answer it.
  if (!endpoint && !app.config.current) return chain(app.config.get(), () => routeNow(app, context));
  return routeNow(app, context);
}

/** A submission has a log line of its own; other requests get one if they are refused. */
function routeNow(app: App, context: RequestContext): MaybePromise<RelayResponse> {
  context.resolve(app.registry());
  const { request, endpoint } = context;
  if (!endpoint) return logged(app, context, respond(unknown(app, context), answerContext(app, context)));
  const answer = answerAt(app, context, endpoint);
  return request.method === 'POST' && endpoint.method.includes('POST')
    ? answer
    : logged(app, context, answer);
}

const logged = (app: App, context: RequestContext, answer: MaybePromise<RelayResponse>) =>
  chain(answer, (one) => {
    if (one.status >= 400)
      app.services.log('info', 'refused', { ...idsOf(app, context), status: one.status });
    return one;
  });

/** Before the first config, a plug-in may own this address, so other services must retry. */
const unknown = ({ config }: App, { request }: RequestContext): Outcome =>
  config.current || !request.path.startsWith('/api/v1/') ? refused(404, 'unknown_page') : noConfig;

function answerAt(app: App, context: RequestContext, endpoint: Endpoint): MaybePromise<RelayResponse> {
  const { method, route, publicRoute } = endpoint;
  const { request } = context;
  if (request.method === 'OPTIONS') return preflight(method);
  const verb = request.method === 'HEAD' ? 'GET' : request.method;
  if (!(verb === 'GET' || verb === 'POST') || !method.includes(verb)) {
    const headers = { allow: methodsFor(method) };
    // A page shows the form, empty: nothing was sent.
    return answerEarly(
      app,
      context,
      { ...refused(405, 'method_not_allowed', { method }), headers },
      new Map(),
    );
  }
  if (publicRoute) return publicRoute.answer(request, app.pluginContext);
  if (endpoint === submitting) return submit(app, context);
  return chain(formNamed(app, context), (form) => {
    if ('kind' in form) return respond(form, answerContext(app, context));
    return route
      ? answerRoute(app, context, form, route)
      : formAnswer(form, answerContext(app, context, form));
  });
}

/** How long a route of a plug-in may take. */
const routeMs = 10_000;

function answerRoute(
  app: App,
  context: RequestContext,
  form: Form,
  route: Route,
): MaybePromise<RelayResponse> {
  const { request, requestId } = context;
  const { services, observe } = app;
  const startedAt = services.now();
  const call = new Try(routeMs);
  const own = route.answer({
    ...app.pluginContext,
    services: form.services,
    request,
    form,
    requestId,
    get signal() {
      return call.signal;
    },
    get http() {
      const parts = { tracing: tracingHeaders(tracingOf(app, context), hooksIndex) };
      return boundHttp({ services: form.services, signal: call.signal, timeoutMs: routeMs, parts });
    },
    respond: (outcome) => respond(outcome, answerContext(app, context, form)),
    renderContext: () => renderContext(answerContext(app, context, form)),
    resume: (about) => SubmissionContext.resume(form, request, app, about, context.span),
    observe: (submission, outcome, answer) => {
      const { requestId, tracing } = submission;
      const ms = services.now() - startedAt;
      observe({ requestId, tracing, formId: form.id, outcome, answer, ms, submission });
    },
  });
  return chain(own, (one) => {
    call.end();
    return routeAnswer(one, form, request);
  });
}
