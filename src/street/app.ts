import type { AnswerContext } from '../answers/context.ts';
import { corsHeaders, methodsFor, preflight } from '../answers/cors.ts';
import { jsonAnswer } from '../answers/json_answer.ts';
import { failure, formAnswer, internalError, respond, tokenAnswer, tryLater } from '../answers/respond.ts';
import { parseBody } from '../bodies/body.ts';
import type { ConfigCache } from '../config/cache.ts';
import type { Config } from '../config/parse.ts';
import type { Variables } from '../config/variables.ts';
import type { Effects } from '../effects.ts';
import type { Listener, Observer } from '../event.ts';
import { type Form, isKnownTo } from '../form.ts';
import type { RelayRequest, RelayResponse } from '../http.ts';
import { onceASecond } from '../once_a_second.ts';
import type { Outcome } from '../outcome.ts';
import type { Settings } from '../settings.ts';
import { stackOf } from '../stack.ts';
import type { Transports } from '../transports/index.ts';
import type { Values } from '../values.ts';
import { type Admission, type Admit, createAdmission, isProbe } from './admission.ts';
import { submit } from './submit.ts';
import { methods, type Target, targetOf } from './target.ts';

/** The whole relay as a function of a request. Never rejects. */
export interface Handle {
  (request: RelayRequest, admission?: Admission): Promise<RelayResponse>;
  /** For runtimes that read the body after this. They pass on what it says, or the throttle would count twice. */
  readonly admit?: Admit;
}

interface World {
  readonly settings: Settings;
  readonly config: ConfigCache;
  /** What the config lacks of the environment. */
  readonly variables: Variables;
  readonly effects: Effects;
  readonly throttled: boolean;
  readonly transports: Transports;
  /** Each hears of every submission. */
  readonly observers: readonly Observer[];
}

export interface App {
  readonly handle: Handle;
  /** Resolves when no request is under way. */
  readonly idle: () => Promise<void>;
}

/** When to come again to a process that is at its limits (D62): some of its deliveries have ended by then. */
const overloadedSeconds = 5;

/** What a submission may take from its arrival to its answer: 25 s, less what reading and answering take (D15). */
const submissionBudgetMs = 24_000;

export function createApp(world: World): App {
  const { settings, config, effects, transports, observers } = world;
  const admit = createAdmission(settings, effects, world.throttled);
  const logThrottled = onceASecond(effects.now, (requests, request_id: string) =>
    effects.log('warn', 'throttled', { request_id, requests }),
  );
  const logLimit = onceASecond(effects.now, (times) =>
    effects.log('warn', 'limit_reached', {
      name: 'SUBMISSION_LIMIT',
      limit: settings.submissionLimit,
      times,
    }),
  );
  const cors = corsHeaders(settings.allowedOrigins);
  let underWay = 0;
  let whenIdle: (() => void)[] = [];

  const answer = (exchange: Exchange, admission: Admission): RelayResponse | Promise<RelayResponse> => {
    if (isProbe(exchange.request)) return health(exchange.request, world);
    if (admission.kind === 'throttled') {
      logThrottled(exchange.requestId);
      return tryLater(429, { code: 'throttled' }, admission.retryAfterSeconds, exchange.context());
    }
    const isTooMany = isSubmission(exchange) && underWay > settings.submissionLimit;
    if (isTooMany) logLimit();
    if (isTooMany || admission.kind === 'no_room') {
      return tryLater(503, { code: 'overloaded' }, overloadedSeconds, exchange.context());
    }
    return route(exchange);
  };

  const handle = async (request: RelayRequest, admission = admit(request)): Promise<RelayResponse> => {
    underWay += 1;
    const requestId = request.id ?? effects.uuid();
    const target = targetOf(request.path);
    const context = (form = currentForm(config, target), sent: Values = new Map()): AnswerContext => ({
      request,
      sent,
      form,
      settings,
      now: effects.now(),
    });
    let response: RelayResponse;
    try {
      const exchange: Exchange = {
        settings,
        config,
        effects,
        transports,
        observers,
        request,
        requestId,
        target,
        context,
      };
      response = await answer(exchange, admission);
    } catch (error) {
      // Every expected ending is an Outcome, so this is a bug in the relay.
      effects.log('error', 'internal_error', { request_id: requestId, stack: stackOf(error) });
      response = internalError(context());
    }
    underWay -= 1;
    if (underWay === 0) wake();
    return {
      status: response.status,
      // Several spreads in one literal cost three times as much.
      headers: Object.assign({ 'x-request-id': requestId }, response.headers, cors(request.headers.origin)),
      body: request.method === 'HEAD' ? '' : response.body,
    };
  };
  const wake = () => {
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
  };
  const idle = async () => {
    if (underWay > 0) await new Promise<void>((resolve) => whenIdle.push(resolve));
  };
  return { handle: Object.assign(handle, { admit }), idle };
}

/** One request on its way through the relay. */
interface Exchange extends Omit<World, 'throttled' | 'variables'> {
  readonly request: RelayRequest;
  readonly requestId: string;
  /** `undefined` when the path leads nowhere. */
  readonly target: Target | undefined;
  /** What an answer needs; the form as far as it is known without waiting. */
  readonly context: (form?: Form, sent?: Values) => AnswerContext;
}

const isSubmission = ({ target, request }: Exchange) =>
  target?.route === 'submit' && request.method === 'POST';

function route(exchange: Exchange): RelayResponse | Promise<RelayResponse> {
  // A submission writes its own line to the log.
  return exchange.target && isSubmission(exchange)
    ? handleSubmit(exchange.target, exchange)
    : answerLogged(exchange);
}

async function answerLogged(exchange: Exchange): Promise<RelayResponse> {
  const { requestId, effects, target, context } = exchange;
  const answer = target
    ? await dispatch(target, exchange)
    : failure(404, { code: 'unknown_page' }, context());
  if (answer.status >= 400) {
    effects.log('info', 'refused', { request_id: requestId, status: answer.status });
  }
  return answer;
}

function dispatch(target: Target, exchange: Exchange): RelayResponse | Promise<RelayResponse> {
  const { method } = exchange.request;
  const allowed = methods[target.route];
  if (method === 'OPTIONS') return preflight(allowed);
  if (target.route !== 'submit' && (method === 'GET' || method === 'HEAD'))
    return handleGet(target, exchange);
  const answer = failure(
    405,
    { code: 'method_not_allowed', params: { method: allowed } },
    exchange.context(),
  );
  return withHeader(answer, 'allow', methodsFor(allowed));
}

async function handleSubmit({ formId }: Target, exchange: Exchange): Promise<RelayResponse> {
  const { effects, config } = exchange;
  const receivedAt = effects.now();
  const finding = formId === '' ? missingName : findForm(formId, config);
  const found = finding instanceof Promise ? await finding : finding;
  const form = 'kind' in found ? undefined : found;
  const about = { requestId: exchange.requestId, formId: form?.id, asked: formId ?? '', receivedAt };
  const tell = listen(exchange.observers, about);
  const { sent, ending } = 'kind' in found ? { ending: found } : accept(found, receivedAt, tell, exchange);
  const outcome = await ending;
  const answer = respond(outcome, exchange.context(form, sent));
  tell({ kind: 'answered', outcome, answer, ms: effects.now() - receivedAt });
  return answer;
}

const missingName: Outcome = { kind: 'bad_request', refusal: { code: 'form_name_missing' } };

/** All observers as one. */
function listen(observers: readonly Observer[], submission: Parameters<Observer>[0]): Listener {
  const listeners = observers.map((observe) => observe(submission));
  const [only] = listeners;
  if (only && listeners.length === 1) return only;
  return (event) => {
    for (const listener of listeners) listener(event);
  };
}

interface Accepted {
  /** What a form that is shown again may need of the body; nothing else of it is kept meanwhile. */
  readonly sent?: Values;
  readonly ending: Outcome | Promise<Outcome>;
}

function accept(form: Form, receivedAt: number, tell: Listener, exchange: Exchange): Accepted {
  const { request, requestId, settings, effects, transports } = exchange;
  const body = parseBody(request);
  if (!body.ok) return { ending: { kind: 'bad_request', refusal: body.error } };
  const values = body.value;
  tell({ kind: 'received', values });
  const { timeLeftMs = Infinity, senderAddress } = request;
  const deadline = receivedAt + Math.min(submissionBudgetMs, timeLeftMs - 1_000);
  const submission = { values, receivedAt, deadline, senderAddress, requestId };
  const ending = submit(submission, { form, settings, effects, transports, tell });
  const sent = new Map([...values].filter(([name]) => isKnownTo(form, name)));
  return { sent, ending };
}

async function handleGet({ route, formId }: Target, exchange: Exchange): Promise<RelayResponse> {
  const { requestId, effects, config } = exchange;
  const form = await findForm(formId, config);
  if ('kind' in form) return respond(form, exchange.context());
  const context = exchange.context(form);
  if (form.spam?.minFill && context.settings.formTokenSecret === '') {
    const reason = 'FORM_TOKEN_SECRET is not set';
    effects.log('error', 'no_token_secret', { request_id: requestId, form: form.id, reason });
    return respond({ kind: 'no_token_secret' }, context);
  }
  return route === 'token' ? tokenAnswer(form, context) : formAnswer(form, context);
}

/** Without waiting while the config is fresh. */
function findForm(formId: string | undefined, cache: ConfigCache): Form | Outcome | Promise<Form | Outcome> {
  const find = (config: Config | undefined): Form | Outcome =>
    config ? (config.forms.get(formId ?? '') ?? unknownForm) : noConfig;
  const loaded = cache.get();
  return loaded instanceof Promise ? loaded.then(find) : find(loaded);
}

const unknownForm: Outcome = { kind: 'unknown_form' };
const noConfig: Outcome = { kind: 'no_config' };

/** The form that a request is about, when the config at hand knows it. */
const currentForm = ({ current }: ConfigCache, target: Target | undefined): Form | undefined =>
  current?.forms.get(target?.formId ?? '');

const withHeader = (answer: RelayResponse, name: string, value: string): RelayResponse => ({
  ...answer,
  headers: { ...answer.headers, [name]: value },
});

async function health({ method, path }: RelayRequest, world: World): Promise<RelayResponse> {
  if (method === 'OPTIONS') return preflight('GET');
  if (method !== 'GET' && method !== 'HEAD') {
    return withHeader(jsonAnswer(405, { error: 'use GET' }), 'allow', methodsFor('GET'));
  }
  return path === '/healthz' ? jsonAnswer(200, { message: 'ok' }) : readiness(world);
}

/** 200 from the first config on that lacks no variable, since the last good one keeps serving (D10, D29). */
async function readiness({ config, variables }: World): Promise<RelayResponse> {
  if (!(await config.get())) {
    return jsonAnswer(503, { error: 'no config was loaded yet; the log says why' });
  }
  const unset = `the config needs variables that are not set: ${variables.missing.join(', ')}`;
  if (!variables.isReady) return jsonAnswer(503, { error: unset });
  if (config.state === 'refresh_failed') {
    return jsonAnswer(200, {
      message: 'serving the last good config: the latest could not be loaded; the log says why',
    });
  }
  return jsonAnswer(200, { message: variables.missing.length > 0 ? unset : 'ok' });
}
