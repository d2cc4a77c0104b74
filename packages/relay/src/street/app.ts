import { linkField } from '../api_urls.ts';
import { stackOf } from '../base/client_error.ts';
import type { RelayRequest, RelayResponse } from '../base/http.ts';
import { after, type Soon } from '../base/soon.ts';
import { throttledReport } from '../base/throttled.ts';
import { idsOf } from '../base/trace.ts';
import { firstValue } from '../base/values.ts';
import { parseQuery } from '../bodies/urlencoded.ts';
import { createMemory, type Memory } from '../memory/memory.ts';
import { corsHeaders, methodsFor, preflight, publicCors, vary } from '../pages/cors.ts';
import { failure, formAnswer, internalError, tryLater } from '../pages/respond.ts';
import { forVisitor, languageHeaders } from '../pages/visitors_language.ts';
import { type Admission, type Admit, createAdmission, isProbe } from './admission.ts';
import { type Common, Exchange, type Surroundings } from './exchange.ts';
import { health, type Readiness } from './health.ts';
import { postSubmission } from './post_submission.ts';
import { methods, type Route } from './route.ts';
import { shownNow } from './shown_now.ts';
import { createUploadRoom, type UploadRoom } from './upload_room.ts';

/** The whole relay as a function of a request. Never rejects. */
export interface Handle {
  (request: RelayRequest, admission?: Admission): Promise<RelayResponse>;
  /** For runtimes that read the body after this. They pass on what it says, or the throttle would count twice. */
  readonly admit?: Admit;
  /** The memory that all bodies with files share. */
  readonly uploads?: UploadRoom;
}

interface World extends Surroundings, Readiness {
  readonly throttled: boolean;
  /** `false` where nothing is really sent. Default: `true`. */
  readonly limitsMails?: boolean;
  /** Default: this process counts for itself. */
  readonly memory?: Memory | undefined;
  /** Learns of each answer. */
  readonly answered?: RouteAnswered | undefined;
}

/** `probe`: one of health; `none`: the path leads nowhere. */
export type RouteAnswered = (route: string, status: number) => void;

export interface App {
  readonly handle: Handle;
  /** Resolves when no request is under way, and nothing that follows one. */
  readonly idle: () => Promise<void>;
  /** How many requests are being answered. */
  readonly underWay: () => number;
}

/** `Retry-After` at the limits of the process: some deliveries will have ended by then. */
const overloadedSeconds = 5;

const noStore = { 'cache-control': 'no-store' };

/** The same for files, which take longer. */
const uploadsBusySeconds = 10;

export function createApp(world: World): App {
  const { settings, config, effects, transports, observers, keeper } = world;
  const admit = createAdmission(settings, effects, config, world.throttled);
  const logThrottled = throttledReport(effects.now, (requests, ids: object) =>
    effects.log('warn', 'throttled', { ...ids, requests }),
  );
  const limitLog = (name: string, limit: number) =>
    throttledReport(effects.now, (times) => effects.log('warn', 'limit_reached', { name, limit, times }));
  const logLimit = limitLog('SUBMISSION_LIMIT', settings.submissionLimit);
  const { uploadBudget } = settings;
  const uploads = createUploadRoom(uploadBudget, effects.now, limitLog('UPLOAD_BUDGET', uploadBudget));
  const cors = corsHeaders(settings.allowedOrigins);
  const memory = world.memory ?? createMemory(effects, settings);
  let underWay = 0;
  /** The number of tasks that continue after their answers. */
  let following = 0;
  let whenIdle: (() => void)[] = [];

  const answer = (exchange: Exchange, admission: Admission): Soon<RelayResponse> => {
    if (isProbe(exchange.request)) return health(exchange.request, world);
    if (admission.kind === 'throttled') {
      logThrottled(idsOf(exchange));
      return tryLater(429, { code: 'throttled' }, admission.retryAfterSeconds, exchange.context());
    }
    if (admission.kind === 'dropped') return { status: 204, headers: noStore, body: '' };
    const isTooMany = submissionRoute(exchange) !== undefined && underWay > settings.submissionLimit;
    if (isTooMany) logLimit();
    if (admission.kind === 'no_room' && admission.forFiles) {
      return tryLater(503, { code: 'uploads_busy' }, uploadsBusySeconds, exchange.context());
    }
    if (isTooMany || admission.kind === 'no_room') {
      return tryLater(503, { code: 'overloaded' }, overloadedSeconds, exchange.context());
    }
    return answerRequest(exchange);
  };

  const common: Common = {
    settings,
    config,
    effects,
    transports,
    keeper,
    alert: world.alert,
    observers,
    memory,
    limitsMails: world.limitsMails ?? true,
    deliverHeld: async (...given) => (await import('./deliver_held.ts')).deliverHeld(...given),
  };

  const handle = (request: RelayRequest, admission = admit(request)): Promise<RelayResponse> => {
    underWay += 1;
    const exchange = new Exchange(request, common);
    let answering: Soon<RelayResponse>;
    try {
      answering = answer(exchange, admission);
    } catch (error) {
      answering = broken(exchange, error);
    }
    return answering instanceof Promise
      ? answering.then(
          (response) => finish(exchange, response),
          async (error) => finish(exchange, await broken(exchange, error)),
        )
      : Promise.resolve(finish(exchange, answering));
  };
  /** Every expected ending is an Outcome, so this is a bug in the relay. */
  const broken = (exchange: Exchange, error: unknown): Soon<RelayResponse> => {
    effects.log('error', 'internal_error', { ...idsOf(exchange), stack: stackOf(error) });
    return internalError(exchange.context());
  };
  const finish = (exchange: Exchange, { status, headers, body, isFixed }: RelayResponse): RelayResponse => {
    const { request, requestId, route, following } = exchange;
    underWay -= 1;
    if (following) for (const work of following) void follow(work, exchange);
    wake();
    world.answered?.(isProbe(request) ? 'probe' : (route?.name ?? 'none'), status);
    const complete = {
      status,
      headers: Object.assign(
        { 'x-request-id': requestId },
        headers,
        corsOf(exchange),
        languageHeaders(exchange.currentForm, request, headers),
      ),
      body: request.method === 'HEAD' ? '' : body,
    };
    return isFixed ? { ...complete, isFixed: true } : complete;
  };
  const corsOf = ({ request, route, isFromServer }: Exchange) => {
    if (route?.name === 'asset' || route?.own?.isOfAll) return publicCors;
    // Keys belong to servers, not to pages.
    return isFromServer ? { vary } : cors(request.headers.origin);
  };
  const follow = async (work: () => Promise<void>, exchange: Exchange) => {
    following += 1;
    try {
      await work();
    } catch (error) {
      effects.log('error', 'internal_error', { ...idsOf(exchange), stack: stackOf(error) });
    }
    following -= 1;
    wake();
  };
  const isBusy = () => underWay + following > 0;
  const wake = () => {
    if (isBusy()) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
  };
  const idle = async () => {
    if (isBusy()) await new Promise<void>((resolve) => whenIdle.push(resolve));
  };
  return { handle: Object.assign(handle, { admit, uploads }), idle, underWay: () => underWay };
}

/** A post with a form's fields, to be delivered, or only to be checked; or with those that a link holds. */
const submissionRoute = ({ route, request }: Exchange): Route | undefined =>
  route && methods[route.name]?.includes('POST') && request.method === 'POST' ? route : undefined;

function answerRequest(exchange: Exchange): Soon<RelayResponse> {
  const route = submissionRoute(exchange);
  if (!route) return answerLogged(exchange);
  // A submission writes its own line to the log.
  if (route.own) return route.own.answer(exchange);
  return route.name === 'check' ? postStep(route.formId, exchange) : postSubmission(route.formId, exchange);
}

/** Most forms have no steps. */
const postStep = async (formId: string | undefined, exchange: Exchange) =>
  (await import('./post_check.ts')).postCheck(formId, exchange);

async function answerLogged(exchange: Exchange): Promise<RelayResponse> {
  const { effects, route } = exchange;
  const answer = route
    ? await dispatch(route, exchange)
    : await failure(404, { code: 'unknown_page' }, exchange.context());
  if (answer.status >= 400) {
    effects.log('info', 'refused', { ...idsOf(exchange), status: answer.status });
  }
  return answer;
}

function dispatch(route: Route, exchange: Exchange): Soon<RelayResponse> {
  const { method } = exchange.request;
  const allowed = methods[route.name] ?? 'GET';
  if (method === 'OPTIONS') return preflight(allowed);
  if (allowed !== 'POST' && (method === 'GET' || method === 'HEAD')) {
    return handleGet(route, exchange);
  }
  const answer = failure(
    405,
    { code: 'method_not_allowed', params: { method: allowed } },
    // A page shows the form, and what was not sent is not there to be shown.
    exchange.context(undefined, new Map()),
  );
  return after(answer, (ready) => withHeader(ready, 'allow', methodsFor(allowed)));
}

async function handleGet({ name, own, asset, hash }: Route, exchange: Exchange): Promise<RelayResponse> {
  if (own) return own.answer(exchange);
  if (asset) return (await import('../pages/asset_answer.ts')).assetAnswer(asset, hash, exchange.request);
  const found = await exchange.findForm();
  if (!found.ok) return found.error;
  const form = found.value;
  const context = exchange.context(form);
  const reader = forVisitor(form, exchange.request);
  if (name === 'sent') return (await import('./sent_page.ts')).sentPage(reader, context);
  const refused = form.answers.needsTokenSecret && (await exchange.withoutTokenSecret(form));
  if (refused) return refused;
  const { request, settings, effects } = exchange;
  const link = form.answers.filling && {
    sealed: firstValue(parseQuery(request.query) ?? new Map(), linkField),
    settings,
  };
  const { form: shown, instead } = await shownNow(reader, context.now, effects, link);
  return formAnswer(shown, instead ? { ...context, instead } : context);
}

const withHeader = (answer: RelayResponse, name: string, value: string): RelayResponse => ({
  ...answer,
  headers: { ...answer.headers, [name]: value },
});
