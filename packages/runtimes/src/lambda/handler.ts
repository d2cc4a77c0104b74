import type { RelayRequest, RelayResponse } from '@form-relay/core/http/request';
import { type Encoded, encoded } from '../encoded.ts';
import { createRelay } from '../node/relay.ts';
import type { RelayOptions } from '../relay.ts';
import type { Relay } from '../running_relay.ts';
import * as httpEvent from './http_event.ts';

export interface LambdaContext {
  /** The UUID of this invocation, as Lambda's own log lines have it. */
  readonly awsRequestId?: string;
  getRemainingTimeInMillis(): number;
}

/** Rejects for an event that is no request. */
export type LambdaHandler = (event: unknown, context: LambdaContext) => Promise<httpEvent.LambdaResult>;

/** The relay as a Lambda handler. The handler answers when all deliveries have ended, so nothing is left running. */
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

/** A format of events: how it holds a request, and an answer. */
interface EventFormat {
  requestIn(event: never): RelayRequest;
  resultOf(answer: Encoded, event: never): httpEvent.LambdaResult;
}

async function formatOf(event: unknown): Promise<EventFormat> {
  if (httpEvent.isHttpEvent(event)) return httpEvent;
  const proxyEvent = await import('./proxy_event.ts');
  return proxyEvent.isProxyEvent(event) ? proxyEvent : httpEvent;
}

/** Throws if the event is no request, or parts of it are missing or of another type, as in a direct call. */
function requestOf(event: unknown, format: EventFormat): RelayRequest {
  try {
    return format.requestIn(event as never);
  } catch {
    // Holds nothing of the event.
    throw new Error(
      'this function answers HTTP: HTTP APIs, REST APIs, function URLs and Application Load Balancers; the handler `lambda.kept` takes events of SQS',
    );
  }
}

/** Events have at most 6 MB, and the body is base64 next to its headers. */
const maxBodyBytes = 4_613_734;

/**
 * Starts the relay during the function's initialization. `kept` retries queued deliveries. `isReady` resolves when the config was fetched or the fetch failed,
 * which the first request repeats. Logs and throws for a malformed variable: Lambda then fails every request with an
 * error of its own until the variable is repaired.
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

/** Logs why the function does not start. */
function makeRelay(options: RelayOptions): Relay {
  try {
    // API Gateway throttles for all copies of the function; each copy would only count for itself.
    return createRelay({ throttled: false, freezes: true, platform: 'lambda', maxBodyBytes, ...options });
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    const line = { time: new Date().toISOString(), level: 'error', event: 'start_failed', reason };
    process.stderr.write(`${JSON.stringify(line)}\n`);
    throw error;
  }
}
