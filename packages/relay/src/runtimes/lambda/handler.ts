import { lambdaBodyBytes, type RelayRequest } from '../../base/http.ts';
import { createRelay, type Relay } from '../../relay.ts';
import type { Environment } from '../../schema/settings/settings.ts';
import { createLog } from '../../telling/log.ts';
import { writeStderr } from '../../telling/stderr.ts';
import { createNodeHttpClient } from '../../transports/http/node_client.ts';
import { encoded } from '../encoded.ts';
import type { SecretVariable } from '../read_secret_arns.ts';
import { ownSecrets, secretReader } from '../secret_arns.ts';
import type { EventShape } from './event_shape.ts';
import { type HttpEvent, type HttpResult, httpApi } from './http_api.ts';
import type { KeptHandler } from './kept_events.ts';
import type { LoadBalancerEvent, LoadBalancerResult } from './load_balancer.ts';
import type { RestEvent } from './rest_api.ts';

export interface LambdaContext {
  /** The UUID of this invocation, as Lambda's own log lines have it. */
  readonly awsRequestId?: string;
  getRemainingTimeInMillis(): number;
}

/** Rejects for an event that is no request. */
export interface LambdaHandler {
  (event: HttpEvent, context: LambdaContext): Promise<HttpResult>;
  (event: RestEvent, context: LambdaContext): Promise<HttpResult>;
  (event: LoadBalancerEvent, context: LambdaContext): Promise<LoadBalancerResult>;
}

/** The relay as a Lambda handler. It answers when all deliveries have ended, so nothing is left running. */
export function lambdaHandler(relay: Pick<Relay, 'handle' | 'flush'>): LambdaHandler {
  const answer = async (event: unknown, context: LambdaContext): Promise<unknown> => {
    // Rare shapes are loaded with their first event.
    const shape: EventShape<never, unknown> = httpApi.isOne(event)
      ? httpApi
      : (await import('./other_shapes.ts')).shapeOf(event);
    const request = await requestIn(event, shape);
    const answer = await relay.handle({
      ...request,
      id: context.awsRequestId,
      timeLeftMs: context.getRemainingTimeInMillis(),
    });
    await relay.flush();
    const accepted = shape.takesBytes ? request.headers['accept-encoding'] : '';
    return shape.result(await encoded(answer, accepted), event as never);
  };
  return answer as LambdaHandler;
}

/** Rejects if parts of the event are missing or of another type, as in a direct call. */
async function requestIn(event: unknown, shape: EventShape<never, unknown>): Promise<RelayRequest> {
  try {
    return shape.request(event as never);
  } catch {
    throw (await import('./other_shapes.ts')).refusal();
  }
}

/**
 * Starts the relay during the function's initialization. `isReady` resolves when the config was fetched or the fetch failed,
 * which the first request repeats. Logs and throws for a malformed variable: Lambda then fails every request with an
 * error of its own until the variable is repaired.
 */
export function startLambda(): LambdaFunction {
  const secrets = ownSecrets(process.env);
  if (secrets.length === 0) return startWith(process.env);
  const started = readSecrets(secrets).then(startWith);
  return {
    handler: (async (event: HttpEvent, context: LambdaContext) =>
      (await started).handler(event, context)) as LambdaHandler,
    kept: async (...event) => (await started).kept(...event),
    isReady: started.then(({ isReady }) => isReady),
  };
}

interface LambdaFunction {
  readonly handler: LambdaHandler;
  /** Retries kept deliveries. */
  readonly kept: KeptHandler;
  /** Rejects if a secret can't be read: then Lambda restarts the function with the next request. */
  readonly isReady: Promise<void>;
}

/** The environment with the values of the relay's own secrets. */
async function readSecrets(secrets: readonly SecretVariable[]): Promise<Environment> {
  try {
    const { readSecretArns } = await import('../read_secret_arns.ts');
    return { ...process.env, ...(await readSecretArns(secrets, process.env)) };
  } catch (error) {
    throw startFailed(error);
  }
}

function startWith(env: Environment): LambdaFunction {
  const relay = makeRelay(env);
  const isReady = Promise.resolve(relay.config.get()).then(relay.flush);
  const kept: KeptHandler = async (event, context) =>
    (await import('./kept_events.ts')).keptHandler(relay)(event, context);
  return { handler: lambdaHandler(relay), kept, isReady };
}

function makeRelay(env: Environment): Relay {
  try {
    return createRelay({
      env,
      readSecrets: secretReader(env),
      // API Gateway throttles for all copies of the function; each copy would only count for itself.
      throttled: false,
      // The function is frozen after its answer. It is called for due messages of a queue.
      triesAgain: false,
      mostBodyBytes: lambdaBodyBytes,
      freezes: true,
      refreshPatienceMs: 300,
      effects: { http: createNodeHttpClient(Date.now) },
    });
  } catch (error) {
    throw startFailed(error);
  }
}

/** Logs the failure. */
function startFailed(error: unknown): unknown {
  const log = createLog(writeStderr, Date.now);
  log('error', 'start_failed', { reason: error instanceof Error ? error.message : '' });
  log.flush();
  return error;
}
