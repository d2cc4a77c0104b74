import { stackOf } from '@form-relay/base/client_error';
import { chain, type MaybePromise, memoized } from '@form-relay/base/maybe_promise';
import { createThrottle, limitLog, throttledReport } from '@form-relay/base/throttled';
import type { UnderWay } from '@form-relay/base/under_way';
import { publicPathOf } from '@form-relay/base/url';
import type { ConfigCache, Registry } from '../config.ts';
import type { SharedContext } from '../pipeline/context.ts';
import type { Observer, PluginContext } from '../plugin.ts';
import { internalError } from '../submission.ts';
import { jsonOf, respond, sound } from './answers.ts';
import { answerContext, answerEarly, corsHeaders, finish, idsOf } from './finish.ts';
import type { RelayRequest, RelayResponse, RequestHead } from './request.ts';
import { type Admission, admit, RequestContext } from './resolve.ts';
import { route } from './route.ts';

/** The whole relay as a function of a request: `admit`, then `route`, maybe `submit`, and `finish`. Never rejects. */
export interface Handle {
  (request: RelayRequest, admission?: Admission): Promise<RelayResponse>;
  /** For runtimes that read the body afterwards. Runtimes must pass on the result, or the throttle would count twice. */
  readonly admit: (head: RequestHead) => Admission;
}

export interface AppParts {
  readonly config: ConfigCache;
  /** The registry of the relay's own plug-ins, used until a config is loaded. */
  readonly registry: Registry;
  readonly observe: Observer;
  /** Answers health checks. */
  readonly health: (request: RelayRequest) => MaybePromise<RelayResponse>;
  readonly pluginContext: PluginContext;
  readonly underWay: UnderWay;
  /** `false` if a proxy in front of all instances does the throttling. */
  readonly throttled: boolean;
}

export interface App
  extends Required<SharedContext>,
    Pick<AppParts, 'config' | 'observe' | 'health' | 'pluginContext'> {
  /** The additions of plug-ins, for the current config. */
  readonly registry: () => Registry;
  /** The path in PUBLIC_URL. */
  readonly publicPath: string;
  readonly throttle: (formId?: string) => number | undefined;
  readonly cors: ReturnType<typeof corsHeaders>;
  readonly underWay: UnderWay;
  readonly logThrottled: (requestId: string) => void;
  readonly logOverload: () => void;
}

export function createApp(parts: AppParts): Handle {
  const { config, observe, health, pluginContext, underWay } = parts;
  const { settings, services } = pluginContext;
  const { throttleRate, throttleBurst, submissionLimit } = settings;
  // A throttle per client of the config, so that the traffic of one does not affect another.
  const throttleOf = memoized((_?: string) => createThrottle(throttleRate, throttleBurst, services.now));
  const app: App = {
    config,
    observe,
    pluginContext,
    settings,
    services,
    registry: () => config.current?.registry ?? parts.registry,
    publicPath: publicPathOf(settings.publicUrl),
    throttle: (formId) =>
      parts.throttled ? throttleOf(config.current?.clients?.of(formId ?? ''))() : undefined,
    health,
    cors: corsHeaders(settings.allowedOrigins),
    underWay,
    logThrottled: throttledReport(services.now, (requests, request_id) =>
      services.log('warn', 'throttled', { request_id, requests }),
    ),
    logOverload: limitLog(services, 'SUBMISSION_LIMIT', submissionLimit),
    follow: (work, span) => underWay.follow(work, span),
    respond: (outcome, submission) => {
      const { form, requestId, request } = submission;
      return respond(outcome, answerContext(app, { request, requestId, submission }, form));
    },
  };
  const handle = (request: RelayRequest, admission?: Admission): Promise<RelayResponse> => {
    const context = admission instanceof RequestContext ? admission : admit(app, request);
    context.complete(request, services.uuid);
    context.span = underWay.begin();
    const failed = (error: unknown) =>
      chain(fail(app, context, error), (answer) => finish(app, context, answer));
    const done = (answer: RelayResponse) => {
      try {
        sound(answer);
      } catch (error) {
        return failed(error);
      }
      return finish(app, context, answer);
    };
    let answering: MaybePromise<RelayResponse>;
    try {
      answering = route(app, context);
    } catch (error) {
      return Promise.resolve(failed(error));
    }
    return answering instanceof Promise ? answering.then(done, failed) : Promise.resolve(done(answering));
  };
  return Object.assign(handle, { admit: admit.bind(undefined, app) });
}

/** Every expected result is an Outcome, so an exception is a bug in the relay or in a plug-in. */
function fail(app: App, context: RequestContext, error: unknown): MaybePromise<RelayResponse> {
  app.services.log('error', 'internal_error', { ...idsOf(app, context), stack: stackOf(error) });
  try {
    return answerEarly(app, context, internalError);
  } catch {
    return jsonOf(internalError, answerContext(app, context));
  }
}
