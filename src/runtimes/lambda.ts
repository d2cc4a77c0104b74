import { lambdaBodyBytes, type RelayRequest } from '../http.ts';
import { createLog } from '../observers/log.ts';
import { writeStderr } from '../observers/stderr.ts';
import { createRelay, type Relay } from '../relay.ts';
import { createNodeHttpClient } from '../transports/http/node_client.ts';
import { encoded } from './encoded.ts';
import type { KeptHandler } from './lambda_kept.ts';

/** What API Gateway's HTTP API (payload format 2.0) and function URLs send. */
export interface HttpEvent {
  readonly rawPath: string;
  readonly rawQueryString?: string;
  /** Repeated ones joined with commas. API Gateway writes names in lower case, `sam local` as they came. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: {
    readonly stage?: string;
    readonly http: { readonly method: string; readonly sourceIp?: string };
  };
}

export interface HttpResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded?: true;
}

export interface LambdaContext {
  /** The UUID of this invocation, as Lambda's own log lines have it. */
  readonly awsRequestId?: string;
  getRemainingTimeInMillis(): number;
}

export type LambdaHandler = (event: HttpEvent, context: LambdaContext) => Promise<HttpResult>;

/** The relay as a Lambda handler. It answers when all deliveries have ended, so nothing is left running. */
export function lambdaHandler(relay: Pick<Relay, 'handle' | 'flush'>): LambdaHandler {
  return async (event, context) => {
    const request = toRelayRequest(event);
    const answer = await relay.handle({
      ...request,
      id: context.awsRequestId,
      timeLeftMs: context.getRemainingTimeInMillis(),
    });
    relay.flush();
    const { status, headers, body } = await encoded(answer, request.headers['accept-encoding']);
    if (typeof body === 'string') return { statusCode: status, headers, body };
    const base64 = Buffer.from(body).toString('base64');
    return { statusCode: status, headers, body: base64, isBase64Encoded: true };
  };
}

/**
 * The stage, or the path that a custom domain maps to the API: what stands before the relay's own paths, also when a
 * form is called `healthz`. Forms are sent below it, so no link may choose it freely: `//evil.example` or a backslash
 * would be another host.
 */
const mountPath =
  /^(?:\/[\w.~%$+!*'()-]+)+?(?=\/api\/v1(?:\/|$)|(?<!\/api\/v1\/(?:submit|check|form|token|confirm))\/(?:healthz|readyz)$)/;

function toRelayRequest(event: HttpEvent): RelayRequest {
  if (!event?.requestContext?.http || event.rawPath === undefined) {
    throw new Error('this is not an HTTP event of payload format 2.0');
  }
  const { rawPath, requestContext } = event;
  const headers = Object.fromEntries(
    Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const { stage = '$default', http } = requestContext;
  const [before = ''] = mountPath.exec(rawPath) ?? [];
  // A custom domain leads to the stage without naming it.
  const isUnseen = before === `/${stage}` && !headers.host?.includes('.execute-api.');
  return {
    method: http.method,
    mountPath: isUnseen ? '' : before,
    isMountSure: before === `/${stage}`,
    // API Gateway decodes the path, function URLs do not: a `%` that starts no escape was one.
    path: rawPath.slice(before.length).replaceAll(/%(?![0-9a-f]{2})/gi, '%25'),
    query: event.rawQueryString ?? '',
    ...(http.sourceIp && { senderAddress: http.sourceIp }),
    headers,
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/**
 * Starts the relay while the function is made. `isReady` resolves when the config was fetched, or could not be: then
 * the first request tries again (D10). Throws for a malformed variable, after a line in the log: Lambda then fails
 * every request with an error of its own, until the variable is repaired (D8).
 */
export function startLambda(): {
  handler: LambdaHandler;
  /** Delivers what is kept. */
  kept: KeptHandler;
  isReady: Promise<void>;
} {
  const relay = makeRelay();
  const isReady = Promise.resolve(relay.config.get()).then(relay.flush);
  const kept: KeptHandler = async (event, context) =>
    (await import('./lambda_kept.ts')).keptHandler(relay)(event, context);
  return { handler: lambdaHandler(relay), kept, isReady };
}

function makeRelay(): Relay {
  try {
    return createRelay({
      // API Gateway throttles for all copies of the function; a bucket in each would count for itself alone.
      throttled: false,
      // After its answer the function is frozen. What a queue holds, it is called for.
      triesAgain: false,
      mostBodyBytes: lambdaBodyBytes,
      // After its answer the function is frozen, and a load that goes on is frozen with it.
      refreshPatienceMs: 3_000,
      effects: { http: createNodeHttpClient(Date.now) },
    });
  } catch (error) {
    const log = createLog(writeStderr, Date.now);
    log('error', 'start_failed', { reason: error instanceof Error ? error.message : '' });
    log.flush();
    throw error;
  }
}
