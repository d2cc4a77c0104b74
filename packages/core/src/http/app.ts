import { stackOf } from '@form-relay/base/client_error';
import { chain, type MaybePromise } from '@form-relay/base/maybe_promise';
import { throttledReport } from '@form-relay/base/throttled';
import { hopsHeader, hopsIn, mostHops, type TraceContext, traceOf } from '@form-relay/base/trace_context';
import { noValues } from '@form-relay/base/values';
import type { ConfigCache, Registry } from '../config.ts';
import type { Form } from '../form.ts';
import { SubmissionContext } from '../pipeline/context.ts';
import type { Observer, PluginContext, Readiness, Route } from '../plugin.ts';
import { explained, internalError, type Outcome, refused } from '../submission.ts';
import type { Admission, Admit, Target } from './admission.ts';
import { createAdmission, isProbe, plainForm, submitPath, targetOf } from './admission.ts';
import { type AnswerContext, formAnswer, jsonOf, renderContext, respond, sound } from './answers.ts';
import { corsHeaders, forNoPage, methodsFor, preflight, publicCors } from './cors.ts';
import { createHealth } from './health.ts';
import type { RelayRequest, RelayResponse } from './request.ts';
import { createUploadRoom, type UploadRoom } from './upload_room.ts';

/** The whole relay as a function of a request. Never rejects. */
export interface Handle {
  (request: RelayRequest, admission?: Admission): Promise<RelayResponse>;
  /** For runtimes that read the body after this. They pass on what it returns, or the throttle would count twice. */
  readonly admit: Admit;
  /** The memory that all bodies with files share. */
  readonly uploads: UploadRoom;
}

export interface AppParts {
  readonly config: ConfigCache;
  /** Of the relay's own plug-ins, while no config was loaded. */
  readonly registry: Registry;
  readonly observe: Observer;
  readonly readiness: () => MaybePromise<readonly Readiness[]>;
  readonly pluginContext: PluginContext;
  /** `false` if something in front of the relay throttles for all its copies. */
  readonly throttled: boolean;
}

/** `Retry-After` at the limits of the process: some deliveries will have ended by then. */
const overloadedSeconds = 5;

const uploadsBusySeconds = 10;

const noConfig: Outcome = { kind: 'no_config', status: 500, message: { code: 'no_config' }, level: 'error' };
const unknownForm = refused(404, 'unknown_form');
/** A circle of relays is a mistake in a config. */
const looped: Outcome = { ...refused(400, 'looped'), level: 'error' };
const later = (status: number, code: string, seconds: number): Outcome => ({
  ...refused(status, code),
  headers: { 'retry-after': String(seconds) },
});

interface Exchange {
  readonly request: RelayRequest;
  readonly requestId: string;
  /** Once its form is known. */
  submission: SubmissionContext | undefined;
}

export function createApp(parts: AppParts): { readonly handle: Handle; readonly idle: () => Promise<void> } {
  const { config, observe, pluginContext } = parts;
  const { settings, services } = pluginContext;
  const registry = () => config.current?.registry ?? parts.registry;
  const admit = createAdmission(pluginContext, config, registry, parts.throttled);
  const health = createHealth(config, services, parts.readiness);
  const logThrottled = throttledReport(services.now, (requests, request_id: string) =>
    services.log('warn', 'throttled', { request_id, requests }),
  );
  const limitLog = (name: string, limit: number) =>
    throttledReport(services.now, (times) => services.log('warn', 'limit_reached', { name, limit, times }));
  const logLimit = limitLog('SUBMISSION_LIMIT', settings.submissionLimit);
  const { uploadBudget } = settings;
  const uploads = createUploadRoom(uploadBudget, services.now, limitLog('UPLOAD_BUDGET', uploadBudget));
  const cors = corsHeaders(settings.allowedOrigins);
  let underWay = 0;
  let following = 0;
  let whenIdle: (() => void)[] = [];
  const wake = () => {
    if (underWay + following > 0) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
  };
  const follow = (work: () => Promise<void>) => {
    following += 1;
    void work()
      .catch((error) => services.log('error', 'internal_error', { stack: stackOf(error) }))
      .then(() => {
        following -= 1;
        wake();
      });
  };
  const shared = {
    services,
    settings,
    follow,
    respond: (outcome: Outcome, submission: SubmissionContext) => {
      const { form, requestId, request } = submission;
      return respond(outcome, context({ request, requestId, submission }, form));
    },
  };

  const context = (exchange: Exchange, form?: Form, sent?: AnswerContext['sent']): AnswerContext => {
    const { request, requestId, submission } = exchange;
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
  };
  /** The context of an answer that ends before a config is waited for: its form as far as it is known. */
  const earlyContext = (exchange: Exchange, sent?: AnswerContext['sent']): AnswerContext => {
    const { formId = '' } = targetOf(exchange.request.path, registry()) ?? {};
    return context(exchange, config.current?.forms.get(formId), sent);
  };

  const formNamed = (formId: string | undefined): MaybePromise<Form | Outcome> =>
    chain(config.get(), (loaded) => (loaded ? (loaded.forms.get(formId ?? '') ?? unknownForm) : noConfig));

  const submit = (formId: string | undefined, exchange: Exchange): MaybePromise<RelayResponse> => {
    if (formId === '') return end(refused(400, 'form_name_missing'), undefined, exchange, services.now());
    return chain(formNamed(formId), (form) => {
      if ('kind' in form) return end(form, undefined, exchange, services.now());
      if (hopsIn(exchange.request.headers[hopsHeader]) >= mostHops)
        return end(looped, form, exchange, services.now());
      const submission = new SubmissionContext(form, exchange.requestId, exchange.request, shared);
      exchange.submission = submission;
      return chain(form.handler(submission), (outcome) =>
        end(outcome, form, exchange, submission.receivedAt),
      );
    });
  };

  const end = (outcome: Outcome, form: Form | undefined, exchange: Exchange, startedAt: number) =>
    chain(respond(outcome, context(exchange, form)), (answer) => {
      const ms = services.now() - startedAt;
      const { requestId, submission } = exchange;
      const told = explained(outcome, registry().english);
      observe({
        requestId,
        tracing: tracingOf(exchange),
        formId: form?.id,
        outcome: told,
        answer,
        ms,
        submission,
      });
      return answer;
    });

  const tracingOf = ({ request, requestId, submission }: Exchange): TraceContext =>
    submission?.tracing ?? traceOf(request.headers.traceparent, requestId, services.uuid);
  const idsOf = (exchange: Exchange) => ({
    request_id: exchange.requestId,
    trace_id: tracingOf(exchange).traceId,
  });

  /** A submission has a log line of its own; other requests get one if they are refused. */
  const logged = (answer: RelayResponse, exchange: Exchange): RelayResponse => {
    if (answer.status >= 400) services.log('info', 'refused', { ...idsOf(exchange), status: answer.status });
    return answer;
  };

  const answerOther = (exchange: Exchange): MaybePromise<RelayResponse> => {
    // Plug-ins that the first config loads may answer it.
    const mayBeTheirs = !config.current && !targetOf(exchange.request.path, registry());
    return mayBeTheirs ? chain(config.get(), () => answerNow(exchange)) : answerNow(exchange);
  };

  const answerNow = (exchange: Exchange): MaybePromise<RelayResponse> => {
    const { request } = exchange;
    const target = targetOf(request.path, registry());
    if (request.method === 'POST' && target?.method.includes('POST')) return answerTarget(target, exchange);
    return chain(
      target ? answerTarget(target, exchange) : respond(unknown(request), context(exchange)),
      (answer) => logged(answer, exchange),
    );
  };

  /** Before the first config, a plug-in may own this address, so other services must retry. */
  const unknown = ({ path }: RelayRequest): Outcome =>
    config.current || !path.startsWith('/api/v1/') ? refused(404, 'unknown_page') : noConfig;

  const answerTarget = (target: Target, exchange: Exchange): MaybePromise<RelayResponse> => {
    const { method, formId, route, publicRoute } = target;
    const { request } = exchange;
    if (request.method === 'OPTIONS') return preflight(method);
    const asked = request.method === 'HEAD' ? 'GET' : request.method;
    if (!(asked === 'GET' || asked === 'POST') || !method.includes(asked)) {
      const outcome = {
        ...refused(405, 'method_not_allowed', { method }),
        headers: { allow: methodsFor(method) },
      };
      // A page shows the form, empty: nothing was sent.
      return respond(outcome, earlyContext(exchange, new Map()));
    }
    if (publicRoute) return publicRoute.answer(request, pluginContext);
    if (!route && method === 'POST') return submit(formId, exchange);
    return chain(formNamed(formId), (form) => {
      if ('kind' in form) return respond(form, context(exchange));
      return route ? answerRoute(route, form, exchange) : formAnswer(form, context(exchange, form));
    });
  };

  const answerRoute = ({ answer }: Route, form: Form, exchange: Exchange): MaybePromise<RelayResponse> => {
    const { request, requestId } = exchange;
    const startedAt = services.now();
    return answer({
      ...pluginContext,
      services: form.services,
      request,
      form,
      requestId,
      respond: (outcome) => respond(outcome, context(exchange, form)),
      renderContext: () => renderContext(context(exchange, form)),
      resume: (about) => SubmissionContext.resume(form, request, shared, about),
      observe: (submission, outcome, answer) => {
        const ms = services.now() - startedAt;
        const { requestId, tracing } = submission;
        observe({ requestId, tracing, formId: form.id, outcome, answer, ms, submission });
      },
    });
  };

  const answer = (exchange: Exchange, admission: Admission): MaybePromise<RelayResponse> => {
    const { request } = exchange;
    const { path, method } = request;
    if (isProbe(request)) return health(request);
    switch (admission.kind) {
      case 'throttled':
        logThrottled(exchange.requestId);
        return respond(later(429, 'throttled', admission.retryAfterSeconds), earlyContext(exchange));
      case 'no_room':
        return respond(
          admission.forFiles
            ? later(503, 'uploads_busy', uploadsBusySeconds)
            : later(503, 'overloaded', overloadedSeconds),
          earlyContext(exchange),
        );
      case 'admitted':
    }
    if (method === 'POST' && underWay > settings.submissionLimit) {
      logLimit();
      return respond(later(503, 'overloaded', overloadedSeconds), earlyContext(exchange));
    }
    // Most requests are submissions of a form with a plain name.
    const formId = method === 'POST' ? plainForm(path) : undefined;
    return formId === undefined ? answerOther(exchange) : submit(formId, exchange);
  };

  const corsOf = ({ request, submission }: Exchange, status: number): Readonly<Record<string, string>> => {
    // Keys belong to servers, not to pages; also wrong ones.
    if (submission?.isTrusted || status === 401) return forNoPage;
    const isPublic = !request.path.startsWith(submitPath) && targetOf(request.path, registry())?.publicRoute;
    return isPublic ? publicCors : cors(request.headers.origin);
  };
  const finish = (exchange: Exchange, { status, headers, body, isFixed }: RelayResponse): RelayResponse => {
    underWay -= 1;
    wake();
    const ofCors = corsOf(exchange, status);
    const all: Record<string, string> = Object.assign(
      { 'x-request-id': exchange.requestId },
      headers,
      ofCors,
    );
    if (headers.vary !== undefined && ofCors.vary !== undefined) all.vary = `${ofCors.vary}, ${headers.vary}`;
    const complete = { status, headers: all, body: exchange.request.method === 'HEAD' ? '' : body };
    return isFixed ? { ...complete, isFixed } : complete;
  };
  /** Every expected ending is an Outcome, so this is a bug in the relay or in a plug-in. */
  const fail = (exchange: Exchange, error: unknown): MaybePromise<RelayResponse> => {
    services.log('error', 'internal_error', { ...idsOf(exchange), stack: stackOf(error) });
    try {
      return respond(internalError, earlyContext(exchange));
    } catch {
      return jsonOf(internalError, context(exchange));
    }
  };

  const handle = (request: RelayRequest, admission = admit(request)): Promise<RelayResponse> => {
    underWay += 1;
    const requestId = request.id ?? services.uuid();
    const exchange: Exchange = { request, requestId, submission: undefined };
    let answering: MaybePromise<RelayResponse>;
    try {
      answering = chain(answer(exchange, admission), sound);
    } catch (error) {
      answering = fail(exchange, error);
    }
    return answering instanceof Promise
      ? answering.then(
          (response) => finish(exchange, response),
          async (error) => finish(exchange, await fail(exchange, error)),
        )
      : Promise.resolve(finish(exchange, answering));
  };
  return {
    handle: Object.assign(handle, { admit, uploads }),
    idle: async () => {
      if (underWay + following > 0) await new Promise<void>((resolve) => whenIdle.push(resolve));
    },
  };
}
