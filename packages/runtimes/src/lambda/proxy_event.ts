/** Events of REST APIs, of HTTP APIs with payload format 1.0, and of load balancers. Loaded when the first such event arrives. */
import { STATUS_CODES } from 'node:http';
import { withoutPort } from '@form-relay/base/client';
import type { RelayRequest } from '@form-relay/core/http/request';
import type { Encoded } from '../encoded.ts';
import { bytesOf, type LambdaResult, resultOf as plainResult, splitPath } from './http_event.ts';

type Single = Readonly<Record<string, string | undefined>> | null;
type Multiple = Readonly<Record<string, readonly string[] | undefined>> | null;

export interface ProxyEvent {
  /** `1.0` for an HTTP API; missing for REST APIs and load balancers. */
  readonly version?: string;
  readonly httpMethod: string;
  /** The API's path without the stage, but with the path that a custom domain maps to the API. */
  readonly path: string;
  /** Contains only the last of repeated values. */
  readonly headers?: Single;
  /** Replaces `headers` in events of load balancers with multi-value headers. */
  readonly multiValueHeaders?: Multiple;
  /** APIs decode names and values; load balancers pass them as sent. */
  readonly queryStringParameters?: Single;
  readonly multiValueQueryStringParameters?: Multiple;
  readonly resource?: string;
  readonly pathParameters?: Single;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: {
    readonly stage?: string;
    /** The path that the visitor requested. */
    readonly path?: string;
    readonly identity?: { readonly sourceIp?: string };
    readonly elb?: object;
  };
}

export const isProxyEvent = (event: unknown): event is ProxyEvent => {
  const { requestContext, httpMethod, path } = Object(event) as Partial<ProxyEvent>;
  const isKnown = Boolean(requestContext?.elb ?? requestContext?.identity);
  return isKnown && typeof httpMethod === 'string' && typeof path === 'string';
};

/** The request in an event. Throws if parts of it are of another type. */
export function requestIn(event: ProxyEvent): RelayRequest {
  const pairs = pairsIn(event.headers, event.multiValueHeaders, (values) => values.join(', '));
  const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
  return {
    method: event.httpMethod,
    ...(event.requestContext.elb ? fromLoadBalancer(event, headers) : fromApi(event, headers)),
    body: isDamaged(event, headers) ? undefined : bytesOf(event),
  };
}

/** The response in the format that the sender of the event expects. */
export function resultOf(answer: Encoded, event: ProxyEvent): LambdaResult {
  const result = plainResult(answer);
  if (!event.requestContext.elb) return result;
  const lists = Object.entries(answer.headers).map(([name, value]) => [name, [value]] as const);
  return {
    isBase64Encoded: false,
    ...result,
    statusDescription: `${answer.status} ${STATUS_CODES[answer.status]}`,
    // A target group with multi-value headers ignores `headers`.
    ...(event.multiValueHeaders && { multiValueHeaders: Object.fromEntries(lists) }),
  };
}

type Headers = RelayRequest['headers'];
type Head = Omit<RelayRequest, 'method' | 'body'>;

/** The load balancer appends the client to `X-Forwarded-For`; earlier proxies wrote the rest. */
function fromLoadBalancer(event: ProxyEvent, headers: Headers): Head {
  const forwarded = headers['x-forwarded-for']?.split(',') ?? [];
  const client = withoutPort(forwarded.pop()?.trim() ?? '');
  return {
    ...splitPath(event.path, ''),
    query: parametersOf(event)
      .map(([name, value]) => `${name}=${value}`)
      .join('&'),
    ...(client && { senderAddress: client }),
    headers: { ...headers, 'x-forwarded-for': forwarded.join(',') || undefined },
  };
}

function fromApi(event: ProxyEvent, { 'accept-encoding': accepted, ...headers }: Headers): Head {
  const { version, path, resource, pathParameters, requestContext } = event;
  const { stage = '', identity, path: visited = path } = requestContext;
  const isHttpApi = version === '1.0';
  // When an API is tested in the console, the context has the path's pattern instead of the path.
  const asked = stage === 'test-invoke-stage' ? path : visited;
  const split = splitPath(asked, stage, isHttpApi ? headers.host : '.execute-api.');
  // The API's own path lacks the prefix that a custom domain maps, so visitors cannot forge the prefix.
  const own = resource === '/{proxy+}' ? (pathParameters?.proxy ?? '') : '';
  const isMapped = !isHttpApi && /^(?:api\/v1(?:\/|$)|f\/|(?:healthz|readyz)$)/.test(own);
  return {
    ...split,
    isMountSure: split.isMountSure || isMapped,
    query: new URLSearchParams(parametersOf(event)).toString(),
    ...(identity?.sourceIp && { senderAddress: identity.sourceIp }),
    // A REST API would pass on the base64 of a compressed answer as text.
    headers: { ...headers, ...(isHttpApi && { 'accept-encoding': accepted }) },
  };
}

const parametersOf = (event: ProxyEvent): [name: string, value: string][] =>
  pairsIn(event.queryStringParameters, event.multiValueQueryStringParameters);

/** Names and values, from the map with all values if there is one. `join` makes one value per name. */
function pairsIn(single?: Single, multiple?: Multiple, join?: (values: readonly string[]) => string) {
  if (!multiple)
    return Object.entries(single ?? {}).map(([name, value]): [string, string] => [name, value ?? '']);
  return Object.entries(multiple).flatMap(([name, values = []]) =>
    (join ? [join(values)] : values).map((value): [string, string] => [name, value]),
  );
}

/** Whether a REST API without `binaryMediaTypes` decoded files as text, which destroys bytes that are not UTF-8. */
const isDamaged = ({ body, isBase64Encoded }: ProxyEvent, headers: Headers): boolean =>
  !isBase64Encoded &&
  /^multipart\//i.test(headers['content-type'] ?? '') &&
  Boolean(body?.includes('\ufffd'));
