import { createNodeHttpClient } from '../clients/node_http.ts';
import type { RelayRequest } from '../http.ts';
import { createLog } from '../log.ts';
import { createRelay, type Relay } from '../relay.ts';

/** What API Gateway's HTTP API (payload format 2.0) and function URLs send. */
export interface HttpEvent {
  readonly rawPath: string;
  readonly rawQueryString?: string;
  /** Names in lower case, repeated ones joined with commas. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: {
    readonly stage?: string;
    readonly http: { readonly method: string };
  };
}

export interface HttpResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface LambdaContext {
  getRemainingTimeInMillis(): number;
}

export type LambdaHandler = (event: HttpEvent, context: LambdaContext) => Promise<HttpResult>;

/** The relay as a Lambda handler. It answers when all deliveries have ended, so nothing is left running. */
export function lambdaHandler(relay: Pick<Relay, 'handle' | 'flush'>): LambdaHandler {
  return async (event, context) => {
    const { status, headers, body } = await relay.handle({
      ...toRelayRequest(event),
      timeLeftMs: context.getRemainingTimeInMillis(),
    });
    relay.flush();
    return { statusCode: status, headers, body };
  };
}

function toRelayRequest(event: HttpEvent): RelayRequest {
  const { headers = {}, rawPath, requestContext } = event;
  if (!requestContext?.http) throw new Error('this is no HTTP event of payload format 2.0');
  const { stage = '$default', http } = requestContext;
  const isBelowStage = stage !== '$default' && rawPath.startsWith(`/${stage}/`);
  const stagePath = isBelowStage ? `/${stage}` : '';
  return {
    method: http.method,
    // A domain of one's own leads to the stage without naming it.
    mountPath: headers.host?.includes('.execute-api.') ? stagePath : '',
    // API Gateway decodes the path, function URLs do not: a `%` that starts no escape was one.
    path: rawPath.slice(stagePath.length).replaceAll(/%(?![0-9a-f]{2})/gi, '%25'),
    query: event.rawQueryString ?? '',
    headers,
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/**
 * Starts the relay while the function is made. `isReady` resolves when the config was fetched, or could not be: then
 * the first request tries again (D10). Throws for a malformed variable, after a line in the log: Lambda then fails
 * every request with an error of its own, until the variable is repaired (D8).
 */
export function startLambda(): { handler: LambdaHandler; isReady: Promise<void> } {
  const relay = makeRelay();
  const isReady = Promise.resolve(relay.config.get()).then(relay.flush);
  return { handler: lambdaHandler(relay), isReady };
}

function makeRelay(): Relay {
  try {
    // API Gateway throttles for all copies of the function; a bucket in each would count for itself alone.
    return createRelay({ throttled: false, effects: { http: createNodeHttpClient(Date.now) } });
  } catch (error) {
    const log = createLog((line) => void process.stderr.write(line), Date.now);
    log('error', 'start_failed', { reason: error instanceof Error ? error.message : '' });
    log.flush();
    throw error;
  }
}
