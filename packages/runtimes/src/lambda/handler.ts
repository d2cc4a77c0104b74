import type { RelayRequest, RelayResponse } from '@form-relay/core/http/request';
import { type Encoded, encoded } from '../encoded.ts';
import { createRelay } from '../node/relay.ts';
import type { RelayOptions } from '../relay.ts';
import type { Relay } from '../running_relay.ts';
import * as httpEvent from './http_event.ts';

export interface LambdaContext {
  /** The UUID of this invocation, as in Lambda's own log lines. */
  readonly awsRequestId?: string;
  getRemainingTimeInMillis(): number;
}

/** Rejects events that are not requests. */
export type LambdaHandler = (event: unknown, context: LambdaContext) => Promise<httpEvent.LambdaResult>;

/** The relay as a Lambda handler. The handler responds after all deliveries have ended, so nothing is left running. */
export function lambdaHandler(
  relay: Pick<Relay, 'flush'> & { readonly handle: (request: RelayRequest) => Promise<RelayResponse> },
): LambdaHandler {
  return async (event, context) => {
    const format = await formatOf(event);
    const request = requestOf(event, format);
    const answer = await relay.handle({
      ...request,
      id: context.awsRequestId,
      timeLeftMs: context.getRemainingTimeInMillis(),
    });
    relay.flush();
    return format.resultOf(await encoded(answer, request.headers['accept-encoding']), event as never);
  };
}

/** An event format: how it encodes a request, and a response. */
interface EventFormat {
  requestIn(event: never): RelayRequest;
  resultOf(answer: Encoded, event: never): httpEvent.LambdaResult;
}

async function formatOf(event: unknown): Promise<EventFormat> {
  if (httpEvent.isHttpEvent(event)) return httpEvent;
  const proxyEvent = await import('./proxy_event.ts');
  return proxyEvent.isProxyEvent(event) ? proxyEvent : httpEvent;
}

/** Throws if the event is not a request, for example in a direct call, or if parts of it are missing or of another type. */
function requestOf(event: unknown, format: EventFormat): RelayRequest {
  try {
    return format.requestIn(event as never);
  } catch {
    // The error quotes nothing from the event.
    throw new Error(
      'this function answers HTTP: HTTP APIs, REST APIs, function URLs and Application Load Balancers; the handler `lambda.kept` takes events of SQS',
    );
  }
}

/** An event has at most 6 MB, including the headers and the base64 of the body. */
const maxBodyBytes = 4_613_734;

/**
 * Starts the relay during the function's initialization. `kept` retries queued deliveries. `isReady` resolves when the
 * config has been fetched, or when the fetch failed; then the first request repeats it. Logs malformed variables and
 * throws, so that Lambda fails every request with its own error until the variable is fixed.
 */
export function startLambda(options: RelayOptions = {}) {
  const relay = makeRelay(options);
  const isReady = Promise.resolve(relay.config.get()).then(() => relay.flush());
  const kept = async (
    event: unknown,
    context: Pick<LambdaContext, 'getRemainingTimeInMillis'>,
  ): Promise<unknown> => {
    try {
      const taken = await relay.event(event, context.getRemainingTimeInMillis());
      if (!taken) throw new Error('this is not an SQS event');
      return taken.result;
    } finally {
      relay.flush();
    }
  };
  return { handler: lambdaHandler(relay), kept, isReady };
}

/** Logs why the function cannot start. */
function makeRelay(options: RelayOptions): Relay {
  try {
    // API Gateway throttles for all copies of the function together; each copy would count only its own requests.
    return createRelay({ throttled: false, freezes: true, platform: 'lambda', maxBodyBytes, ...options });
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    const line = { time: new Date().toISOString(), level: 'error', event: 'start_failed', reason };
    process.stderr.write(`${JSON.stringify(line)}\n`);
    throw error;
  }
}
