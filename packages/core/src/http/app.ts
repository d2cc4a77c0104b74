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
import {
  type AnswerContext,
  formAnswer,
  jsonOf,
  renderContext,
  respond,
  routeAnswer,
  sound,
} from './answers.ts';
import { corsHeaders, forNoPage, methodsFor, preflight, publicCors } from './cors.ts';
import { createHealth } from './health.ts';
import { createMount } from './mount.ts';
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

interface HttpContext {
  readonly request: RelayRequest;
  readonly requestId: string;
  /** Once its form is known. */
  submission: SubmissionContext | undefined;
}

export function createApp(parts: AppParts): { readonly handle: Handle; readonly idle: () => Promise<void> } {
  const { config, observe, pluginContext } = parts;
  const { settings, services } = pluginContext;
  const registry = () => config.current?.registry ?? parts.registry;
  const mounted = createMount(settings);
  const decide = createAdmission(pluginContext, config, registry, parts.throttled);
  const admit: Admit = (head) => decide(mounted(head));
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
      return respond(outcome, answerContext({ request, requestId, submission }, form));
    },
  };

  const answerContext = (context: HttpContext, form?: Form, sent?: AnswerContext['sent']): AnswerContext => {
    const { request, requestId, submission } = context;
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
  const earlyContext = (context: HttpContext, sent?: AnswerContext['sent']): AnswerContext => {
    const { formId = '' } = targetOf(context.request.path, registry()) ?? {};
    return answerContext(context, config.current?.forms.get(formId), sent);
  };

  const formNamed = (formId: string | undefined): MaybePromise<Form | Outcome> =>
    chain(config.get(), (loaded) => (loaded ? (loaded.forms.get(formId ?? '') ?? unknownForm) : noConfig));

  const submit = (formId: string | undefined, context: HttpContext): MaybePromise<RelayResponse> => {
    if (formId === '') return end(refused(400, 'form_name_missing'), undefined, context, services.now());
    return chain(formNamed(formId), (form) => {
      if ('kind' in form) return end(form, undefined, context, services.now());
      if (hopsIn(context.request.headers[hopsHeader]) >= mostHops)
        return end(looped, form, context, services.now());
      const submission = new SubmissionContext(form, context.requestId, context.request, shared);
      context.submission = submission;
      return chain(form.handler(submission), (outcome) => end(outcome, form, context, submission.receivedAt));
    });
  };

  const end = (outcome: Outcome, form: Form | undefined, context: HttpContext, startedAt: number) =>
    chain(respond(outcome, answerContext(context, form)), (answer) => {
      const ms = services.now() - startedAt;
      const { requestId, submission } = context;
      const told = explained(outcome, registry().english);
      observe({
        requestId,
        tracing: tracingOf(context),
        formId: form?.id,
        outcome: told,
        answer,
        ms,
        submission,
      });
      return answer;
    });

  const tracingOf = ({ request, requestId, submission }: HttpContext): TraceContext =>
    submission?.tracing ?? traceOf(request.headers.traceparent, requestId, services.uuid);
  const idsOf = (context: HttpContext) => ({
    request_id: context.requestId,
    trace_id: tracingOf(context).traceId,
  });

  /** A submission has a log line of its own; other requests get one if they are refused. */
  const logged = (answer: RelayResponse, context: HttpContext): RelayResponse => {
    if (answer.status >= 400) services.log('info', 'refused', { ...idsOf(context), status: answer.status });
    return answer;
  };

  const answerOther = (context: HttpContext): MaybePromise<RelayResponse> => {
    // Plug-ins that the first config loads may answer it.
    const mayBeTheirs = !config.current && !targetOf(context.request.path, registry());
    return mayBeTheirs ? chain(config.get(), () => answerNow(context)) : answerNow(context);
  };

  const answerNow = (context: HttpContext): MaybePromise<RelayResponse> => {
    const { request } = context;
    const target = targetOf(request.path, registry());
    if (request.method === 'POST' && target?.method.includes('POST')) return answerTarget(target, context);
    return chain(
      target ? answerTarget(target, context) : respond(unknown(request), answerContext(context)),
      (answer) => logged(answer, context),
    );
  };

  /** Before the first config, a plug-in may own this address, so other services must retry. */
  const unknown = ({ path }: RelayRequest): Outcome =>
    config.current || !path.startsWith('/api/v1/') ? refused(404, 'unknown_page') : noConfig;

  const answerTarget = (target: Target, context: HttpContext): MaybePromise<RelayResponse> => {
    const { method, formId, route, publicRoute } = target;
    const { request } = context;
    if (request.method === 'OPTIONS') return preflight(method);
    const asked = request.method === 'HEAD' ? 'GET' : request.method;
    if (!(asked === 'GET' || asked === 'POST') || !method.includes(asked)) {
      const outcome = {
        ...refused(405, 'method_not_allowed', { method }),
        headers: { allow: methodsFor(method) },
      };
      // A page shows the form, empty: nothing was sent.
      return respond(outcome, earlyContext(context, new Map()));
    }
    if (publicRoute) return publicRoute.answer(request, pluginContext);
    if (!route && method === 'POST') return submit(formId, context);
    return chain(formNamed(formId), (form) => {
      if ('kind' in form) return respond(form, answerContext(context));
      return route ? answerRoute(route, form, context) : formAnswer(form, answerContext(context, form));
    });
  };

  const answerRoute = ({ answer }: Route, form: Form, context: HttpContext): MaybePromise<RelayResponse> => {
    const { request, requestId } = context;
    const startedAt = services.now();
    const own = answer({
      ...pluginContext,
      services: form.services,
      request,
      form,
      requestId,
      respond: (outcome) => respond(outcome, answerContext(context, form)),
      renderContext: () => renderContext(answerContext(context, form)),
      resume: (about) => SubmissionContext.resume(form, request, shared, about),
      observe: (submission, outcome, answer) => {
        const ms = services.now() - startedAt;
        const { requestId, tracing } = submission;
        observe({ requestId, tracing, formId: form.id, outcome, answer, ms, submission });
      },
    });
    return chain(own, (one) => routeAnswer(one, form, request));
  };

  const answer = (context: HttpContext, admission: Admission): MaybePromise<RelayResponse> => {
    const { request } = context;
    const { path, method } = request;
    if (isProbe(request)) return health(request);
    switch (admission.kind) {
      case 'throttled':
        logThrottled(context.requestId);
        return respond(later(429, 'throttled', admission.retryAfterSeconds), earlyContext(context));
      case 'no_room':
        return respond(
          admission.forFiles
            ? later(503, 'uploads_busy', uploadsBusySeconds)
            : later(503, 'overloaded', overloadedSeconds),
          earlyContext(context),
        );
      case 'admitted':
    }
    if (method === 'POST' && underWay > settings.submissionLimit) {
      logLimit();
      return respond(later(503, 'overloaded', overloadedSeconds), earlyContext(context));
    }
    // Most requests are submissions of a form with a plain name.
    const formId = method === 'POST' ? plainForm(path) : undefined;
    return formId === undefined ? answerOther(context) : submit(formId, context);
  };

  const corsOf = ({ request, submission }: HttpContext, status: number): Readonly<Record<string, string>> => {
    // Keys belong to servers, not to pages; also wrong ones.
    if (submission?.isTrusted || status === 401) return forNoPage;
    const isPublic = !request.path.startsWith(submitPath) && targetOf(request.path, registry())?.publicRoute;
    return isPublic ? publicCors : cors(request.headers.origin);
  };
  const finish = (context: HttpContext, { status, headers, body, isFixed }: RelayResponse): RelayResponse => {
    underWay -= 1;
    wake();
    const ofCors = corsOf(context, status);
    const all: Record<string, string> = Object.assign({ 'x-request-id': context.requestId }, headers, ofCors);
    if (headers.vary !== undefined && ofCors.vary !== undefined) all.vary = `${ofCors.vary}, ${headers.vary}`;
    const complete = { status, headers: all, body: context.request.method === 'HEAD' ? '' : body };
    return isFixed ? { ...complete, isFixed } : complete;
  };
  /** Every expected ending is an Outcome, so this is a bug in the relay or in a plug-in. */
  const fail = (context: HttpContext, error: unknown): MaybePromise<RelayResponse> => {
    services.log('error', 'internal_error', { ...idsOf(context), stack: stackOf(error) });
    try {
      return respond(internalError, earlyContext(context));
    } catch {
      return jsonOf(internalError, answerContext(context));
    }
  };

  const handle = (asked: RelayRequest, admission = admit(asked)): Promise<RelayResponse> => {
    underWay += 1;
    const request = mounted(asked);
    const requestId = request.id ?? services.uuid();
    const context: HttpContext = { request, requestId, submission: undefined };
    let answering: MaybePromise<RelayResponse>;
    try {
      answering = chain(answer(context, admission), sound);
    } catch (error) {
      answering = fail(context, error);
    }
    return answering instanceof Promise
      ? answering.then(
          (response) => finish(context, response),
          async (error) => finish(context, await fail(context, error)),
        )
      : Promise.resolve(finish(context, answering));
  };
  return {
    handle: Object.assign(handle, { admit, uploads }),
    idle: async () => {
      if (underWay + following > 0) await new Promise<void>((resolve) => whenIdle.push(resolve));
    },
  };
}
