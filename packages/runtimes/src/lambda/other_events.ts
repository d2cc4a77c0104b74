import { STATUS_CODES } from 'node:http';
import type { RelayRequest } from '@form-relay/core/http/request';
import {
  bodyOf,
  bytesOf,
  type Headers,
  inLowerCase,
  type LambdaResult,
  type Opened,
  splitPath,
  splitStagePath,
} from './events.ts';

/** All values of each name. */
type MultiValues = Readonly<Record<string, readonly string[] | undefined>>;

interface OtherEvent {
  readonly httpMethod: string;
  readonly path: string;
  /** The last of repeated ones. */
  readonly headers?: Headers | null;
  readonly queryStringParameters?: Headers | null;
  /** Load balancers send them in place of the others, if the target group has `multi_value_headers`. */
  readonly multiValueHeaders?: MultiValues | null;
  readonly multiValueQueryStringParameters?: MultiValues | null;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
}

/**
 * The event of API Gateway's REST API, and of an HTTP API with payload format 1.0, named in `version`. `path` lacks the
 * stage, but not the path that a custom domain maps to it. The query is decoded.
 */
export interface RestEvent extends OtherEvent {
  readonly version?: string;
  readonly resource?: string;
  readonly pathParameters?: Headers | null;
  readonly requestContext: {
    readonly stage: string;
    /** As the visitor asked for it. */
    readonly path?: string;
    readonly identity: { readonly sourceIp?: string };
  };
}

/**
 * The event of an Application Load Balancer's target group of type `lambda`; its health checks have the same. Path and
 * query are as sent.
 */
export interface LoadBalancerEvent extends OtherEvent {
  readonly requestContext: { readonly elb: { readonly targetGroupArn: string } };
}

/** Opens events of REST APIs and load balancers; `undefined` for others. */
export function openOther(event: unknown): Opened | undefined {
  const { requestContext, httpMethod, path }: Partial<RestEvent & LoadBalancerEvent> = event ?? {};
  if (typeof httpMethod !== 'string' || typeof path !== 'string') return undefined;
  if (requestContext?.identity) return openRestEvent(event as RestEvent);
  return requestContext?.elb ? openLoadBalancerEvent(event as LoadBalancerEvent) : undefined;
}

function openRestEvent(event: RestEvent): Opened {
  const { sourceIp } = event.requestContext.identity;
  const headers = headersOf(event);
  const query = parametersOf(event).map((one): [string, string] => [...one]);
  return {
    request: {
      method: event.httpMethod,
      ...restPath(event, headers),
      query: new URLSearchParams(query).toString(),
      ...(sourceIp && { senderAddress: sourceIp }),
      headers,
      body: isBroken(event, headers) ? undefined : bytesOf(event.body, event.isBase64Encoded),
    },
    // It would send base64 as text, unless its `binaryMediaTypes` match the browser's `Accept`.
    takesBytes: false,
    result: ({ status, headers, body }) => ({ statusCode: status, headers, body: String(body) }),
  };
}

function restPath(
  { version, resource, path, pathParameters, requestContext }: RestEvent,
  { host }: Headers,
): Pick<RelayRequest, 'path' | 'mountPath' | 'isMountSure'> {
  const { stage } = requestContext;
  // The console's tests have the pattern there.
  const asked = stage === 'test-invoke-stage' ? path : (requestContext.path ?? path);
  if (version === '1.0') return splitStagePath(asked, stage, host);
  const split = splitPath(asked);
  // The path that a custom domain maps is no part of the API's own path, which a visitor may invent.
  const own = resource === '/{proxy+}' ? (pathParameters?.proxy ?? '') : '';
  const isMapped = /^(?:api\/v1(?:\/|$)|(?:healthz|readyz)$)/.test(own);
  return { ...split, isMountSure: split.mountPath === `/${stage}` || isMapped };
}

/** Files that came as text, because the API's `binaryMediaTypes` lack `multipart/form-data`: bytes beyond UTF-8 are lost. */
const isBroken = ({ body, isBase64Encoded }: RestEvent, headers: Headers): boolean =>
  !isBase64Encoded && /^multipart\//i.test(headers['content-type'] ?? '') && (body ?? '').includes('\ufffd');

function openLoadBalancerEvent(event: LoadBalancerEvent): Opened {
  const headers = headersOf(event);
  const { client, before } = forwarded(headers['x-forwarded-for'] ?? '');
  return {
    request: {
      method: event.httpMethod,
      ...splitPath(event.path),
      query: parametersOf(event)
        .map(([name, value]) => `${name}=${value}`)
        .join('&'),
      ...(client && { senderAddress: client }),
      headers: { ...headers, 'x-forwarded-for': before },
      body: bytesOf(event.body, event.isBase64Encoded),
    },
    takesBytes: true,
    result: (answer): LambdaResult => ({
      statusCode: answer.status,
      statusDescription: `${answer.status} ${STATUS_CODES[answer.status]}`,
      ...(event.multiValueHeaders
        ? { multiValueHeaders: inLists(answer.headers) }
        : { headers: answer.headers }),
      isBase64Encoded: false,
      ...bodyOf(answer),
    }),
  };
}

const inLists = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));

/** The client, which the load balancer appends, perhaps with its port; and the addresses before, for TRUSTED_PROXIES. */
function forwarded(header: string): { readonly client: string; readonly before: string | undefined } {
  const comma = header.lastIndexOf(',');
  const last = header.slice(comma + 1).trim();
  const client = /^\[([^\]]*)\](?::\d+)?$/.exec(last)?.[1] ?? /^([\d.]+):\d+$/.exec(last)?.[1] ?? last;
  return { client, before: comma < 0 ? undefined : header.slice(0, comma) };
}

/** The headers of either map; the one with multiple values if both are there. */
const headersOf = ({ headers, multiValueHeaders: multi }: OtherEvent): Headers =>
  inLowerCase(
    multi
      ? Object.fromEntries(Object.entries(multi).map(([name, values]) => [name, values?.join(', ')]))
      : (headers ?? {}),
  );

/** The query's names and values, of either map. */
const parametersOf = ({
  queryStringParameters: query,
  multiValueQueryStringParameters: multi,
}: OtherEvent): readonly (readonly [name: string, value: string])[] =>
  multi
    ? Object.entries(multi).flatMap(([name, values]) => (values ?? []).map((value) => [name, value] as const))
    : Object.entries(query ?? {}).map(([name, value]) => [name, value ?? ''] as const);
