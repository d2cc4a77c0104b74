import { STATUS_CODES } from 'node:http';
import {
  allHeaders,
  allParameters,
  type Body,
  bodyOf,
  bytesOf,
  type Headers,
  type MultiValues,
  type OpenEvent,
  splitPath,
} from './event_shape.ts';

/** The event of an Application Load Balancer's target group of type `lambda`; its health checks have the same. */
export interface LoadBalancerEvent {
  readonly httpMethod: string;
  /** As sent, as is the query. */
  readonly path: string;
  /** The last of repeated headers. With `multi_value_headers`, the target group sends `multiValueHeaders` instead. */
  readonly headers?: Headers;
  readonly queryStringParameters?: Headers;
  readonly multiValueHeaders?: MultiValues;
  readonly multiValueQueryStringParameters?: MultiValues;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: { readonly elb: { readonly targetGroupArn: string } };
}

export interface LoadBalancerResult extends Body {
  readonly statusCode: number;
  /** `200 OK` */
  readonly statusDescription: string;
  readonly isBase64Encoded: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** If the event has them: then `headers` is ignored. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
}

const isLoadBalancerEvent = (event: unknown): event is LoadBalancerEvent => {
  const { requestContext, httpMethod, path }: Partial<LoadBalancerEvent> = event ?? {};
  return Boolean(requestContext?.elb) && typeof httpMethod === 'string' && typeof path === 'string';
};

export const openLoadBalancerEvent: OpenEvent<LoadBalancerResult> = (event) => {
  if (!isLoadBalancerEvent(event)) return undefined;
  const headers = allHeaders(event.headers, event.multiValueHeaders);
  const query = allParameters(event.queryStringParameters, event.multiValueQueryStringParameters);
  const { client, before } = forwarded(headers['x-forwarded-for'] ?? '');
  return {
    request: {
      method: event.httpMethod,
      ...splitPath(event.path),
      query: query.map(([name, value]) => `${name}=${value}`).join('&'),
      ...(client && { senderAddress: client }),
      headers: { ...headers, 'x-forwarded-for': before },
      body: bytesOf(event.body, event.isBase64Encoded),
    },
    result: (answer) => ({
      statusCode: answer.status,
      statusDescription: `${answer.status} ${STATUS_CODES[answer.status]}`,
      ...(event.multiValueHeaders
        ? {
            multiValueHeaders: Object.fromEntries(
              Object.entries(answer.headers).map(([name, value]) => [name, [value]]),
            ),
          }
        : { headers: answer.headers }),
      isBase64Encoded: false,
      ...bodyOf(answer),
    }),
    takesBytes: true,
  };
};

/** The client, which the load balancer appends, perhaps with its port; and the addresses before, for TRUSTED_PROXIES. */
function forwarded(header: string): { readonly client: string; readonly before: string | undefined } {
  const comma = header.lastIndexOf(',');
  const last = header.slice(comma + 1).trim();
  const client = /^\[([^\]]*)\](?::\d+)?$/.exec(last)?.[1] ?? /^([\d.]+):\d+$/.exec(last)?.[1] ?? last;
  return { client, before: comma < 0 ? undefined : header.slice(0, comma) };
}
