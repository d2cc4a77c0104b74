import { chain, type MaybePromise } from '@form-relay/base/maybe_promise';
import { Try } from '@form-relay/base/retries';
import { hopsHeader, hopsIn, mostHops, tracingHeaders } from '@form-relay/base/trace_context';
import type { Config } from '../config.ts';
import type { Form } from '../form.ts';
import { hooksIndex, SubmissionContext } from '../pipeline/context.ts';
import type { Route, RouteContext } from '../plugin.ts';
import { explained, type Outcome, refused } from '../submission.ts';
import { formAnswer, renderContext, respond, routeAnswer } from './answers.ts';
import type { App } from './app.ts';
import { boundHttp } from './bound_http.ts';
import { answerContext, answerEarly, idsOf, methodsFor, preflight, tracingOf } from './finish.ts';
import type { RelayResponse } from './request.ts';
import { type Endpoint, overloaded, probe, type RequestContext, submitting } from './resolve.ts';

/** Passes a request to its handler: a health check, a submission, the form itself, or a route of a plug-in. */
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
  if (request.method === 'POST' && endpoint === submitting) return submit(app, context);
  // A plug-in that the first config loads may have this route.
  if (!endpoint && !app.config.current) return chain(app.config.get(), () => routeNow(app, context));
  return routeNow(app, context);
}

/** Runs the pipeline of the submitted form, responds, and notifies observers of the outcome. */
function submit(app: App, context: RequestContext): MaybePromise<RelayResponse> {
  if (context.formId === '') return submitTo(app, context, unnamed);
  return chain(app.config.get(), (config) => submitTo(app, context, formIn(config, context)));
}

/** Without `async`, which allocates more: a submission only waits for its outputs. */
function submitTo(app: App, context: RequestContext, found: Form | Outcome): MaybePromise<RelayResponse> {
  const { request, requestId } = context;
  const form = 'kind' in found ? undefined : found;
  const hops = request.headers[hopsHeader];
  let ending: MaybePromise<Outcome> = looped;
  if ('kind' in found) ending = found;
  else if (hops === undefined || hopsIn(hops) < mostHops) {
    context.submission = new SubmissionContext(found, requestId, request, app, context.span);
    ending = found.handler(context.submission);
  }
  const startedAt = context.submission?.receivedAt ?? app.services.now();
  const told = (outcome: Outcome, answer: RelayResponse): RelayResponse => {
    app.observe({
      requestId,
      tracing: tracingOf(app, context),
      formId: form?.id,
      outcome: outcome.kind === 'bad_request' ? explained(outcome, app.registry().english) : outcome,
      answer,
      ms: app.services.now() - startedAt,
      submission: context.submission,
    });
    context.submission?.conclude();
    return answer;
  };
  return chain(ending, (outcome) => {
    const answer = respond(outcome, answerContext(app, context, form));
    return answer instanceof Promise ? answer.then((one) => told(outcome, one)) : told(outcome, answer);
  });
}

/** A submission has its own log line; other requests get one only if they are refused. */
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

/** Before the first config is loaded, a plug-in may own this address, so other services must retry. */
const unknown = ({ config }: App, { request }: RequestContext): Outcome =>
  config.current || !request.path.startsWith('/api/v1/') ? refused(404, 'unknown_page') : noConfig;

function answerAt(app: App, context: RequestContext, endpoint: Endpoint): MaybePromise<RelayResponse> {
  const { method, route, publicRoute } = endpoint;
  const { request } = context;
  if (request.method === 'OPTIONS') return preflight(method);
  const verb = request.method === 'HEAD' ? 'GET' : request.method;
  if (!(verb === 'GET' || verb === 'POST') || !method.includes(verb)) {
    const refusal = {
      ...refused(405, 'method_not_allowed', { method }),
      headers: { allow: methodsFor(method) },
    };
    // A page shows the form empty, because nothing was submitted.
    return answerEarly(app, context, refusal, new Map());
  }
  if (publicRoute) return publicRoute.answer(request, app.pluginContext);
  return chain(app.config.get(), (config) => {
    const form = formIn(config, context);
    if ('kind' in form) return respond(form, answerContext(app, context));
    return route
      ? answerRoute(app, context, form, route, config?.forms ?? new Map())
      : formAnswer(form, answerContext(app, context, form));
  });
}

/** The time limit of a plug-in's route. */
const routeMs = 10_000;

function answerRoute(
  app: App,
  context: RequestContext,
  form: Form,
  route: Route,
  forms: RouteContext['forms'],
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
    forms,
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

const noConfig: Outcome = { kind: 'no_config', status: 500, message: { code: 'no_config' }, level: 'error' };
const unknownForm = refused(404, 'unknown_form');
const unnamed = refused(400, 'form_name_missing');
/** A loop of relays is a mistake in a config. */
const looped: Outcome = { ...refused(400, 'looped'), level: 'error' };

/** The form that a path names in the config, once the config is loaded. */
const formIn = (config: Config | undefined, { formId = '' }: RequestContext): Form | Outcome =>
  config ? (config.forms.get(formId) ?? config.clients?.missing(formId) ?? unknownForm) : noConfig;
