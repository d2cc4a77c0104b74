import type { RelayRequest } from '@form-relay/core/http/request';
import {
  allHeaders,
  allParameters,
  bytesOf,
  type Headers,
  type MultiValues,
  type OpenEvent,
  splitPath,
  splitStagePath,
} from './event_shape.ts';
import type { HttpResult } from './http_api.ts';

/** The event of API Gateway's REST API, and of an HTTP API with payload format 1.0, named in `version`. */
export interface RestEvent {
  readonly version?: string;
  readonly resource?: string;
  readonly httpMethod: string;
  /** Without the stage, but with the path that a custom domain maps to it. */
  readonly path: string;
  readonly headers?: Headers | null;
  readonly multiValueHeaders?: MultiValues | null;
  /** Decoded. */
  readonly queryStringParameters?: Headers | null;
  readonly multiValueQueryStringParameters?: MultiValues | null;
  readonly pathParameters?: Headers | null;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: {
    readonly stage: string;
    /** As the visitor asked for it. */
    readonly path?: string;
    readonly identity: { readonly sourceIp?: string };
  };
}

const isRestEvent = (event: unknown): event is RestEvent => {
  const { requestContext, httpMethod, path }: Partial<RestEvent> = event ?? {};
  return Boolean(requestContext?.identity) && typeof httpMethod === 'string' && typeof path === 'string';
};

export const openRestEvent: OpenEvent<HttpResult> = (event) => {
  if (!isRestEvent(event)) return undefined;
  const { sourceIp } = event.requestContext.identity;
  const headers = allHeaders(event.headers, event.multiValueHeaders);
  const query = allParameters(event.queryStringParameters, event.multiValueQueryStringParameters);
  return {
    request: {
      method: event.httpMethod,
      ...pathOf(event, headers),
      query: new URLSearchParams(query.map((one): [string, string] => [...one])).toString(),
      ...(sourceIp && { senderAddress: sourceIp }),
      headers,
      body: isBroken(event, headers) ? undefined : bytesOf(event.body, event.isBase64Encoded),
    },
    // It would send base64 as text, unless its `binaryMediaTypes` match the browser's `Accept`.
    takesBytes: false,
    result: ({ status, headers, body }) => ({ statusCode: status, headers, body: String(body) }),
  };
};

function pathOf(
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
