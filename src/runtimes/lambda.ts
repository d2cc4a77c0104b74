import { createNodeHttpClient } from '../clients/node_http.ts';
import type { RelayRequest } from '../http.ts';
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

/** The relay as a Lambda handler. It answers when all deliveries have ended, so nothing is left running. */
export function lambdaHandler(relay: Pick<Relay, 'handle' | 'flush'>) {
  return async (event: HttpEvent, context: LambdaContext): Promise<HttpResult> => {
    const { status, headers, body } = await relay.handle({
      ...toRelayRequest(event),
      timeLeftMs: context.getRemainingTimeInMillis(),
    });
    relay.flush();
    return { statusCode: status, headers, body };
  };
}

function toRelayRequest(event: HttpEvent): RelayRequest {
  const { stage = '$default', http } = event.requestContext;
  const prefix = `/${stage}`;
  const hasPrefix = stage !== '$default' && event.rawPath.startsWith(`${prefix}/`);
  return {
    method: http.method,
    path: hasPrefix ? event.rawPath.slice(prefix.length) : event.rawPath,
    query: event.rawQueryString ?? '',
    headers: event.headers ?? {},
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/** Made while the function starts, when Lambda gives it a whole core; the config is fetched then, too. */
export function startLambda() {
  // API Gateway throttles for all copies of the function; a bucket in each would count for itself alone.
  const relay = createRelay({ throttled: false, effects: { http: createNodeHttpClient(Date.now) } });
  void relay.config.get();
  return lambdaHandler(relay);
}
