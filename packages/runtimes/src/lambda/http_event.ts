import type { RelayRequest } from '@form-relay/core/http/request';
import type { Encoded } from '../encoded.ts';

/** The event of API Gateway's HTTP APIs (payload format 2.0) and of function URLs. */
export interface HttpEvent {
  readonly rawPath: string;
  readonly rawQueryString?: string;
  /** Repeated headers are joined with commas. API Gateway lower-cases the names; `sam local` passes them as sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: {
    readonly stage?: string;
    readonly http: { readonly method: string; readonly sourceIp?: string };
  };
}

export const isHttpEvent = (event: unknown): boolean =>
  Boolean((Object(event) as Partial<HttpEvent>).requestContext?.http);

/** The request in an event. Throws for other events, and if parts of it are missing or of another type. */
export function requestIn(event: HttpEvent): RelayRequest {
  const { rawPath, rawQueryString = '', headers: given = {}, requestContext } = event;
  const { stage = '$default', http } = requestContext;
  const lowerCase = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const);
  const headers = Object.fromEntries(lowerCase);
  return {
    method: http.method,
    ...splitPath(rawPath, stage, headers.host),
    query: String(rawQueryString),
    ...(http.sourceIp && { senderAddress: http.sourceIp }),
    headers,
    body: bytesOf(event),
  };
}

/** The body's bytes. REST APIs and `sam local` send `null` for no body. */
export const bytesOf = ({ body, isBase64Encoded }: Pick<HttpEvent, 'body' | 'isBase64Encoded'>): Buffer =>
  Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');

/** A JSON response whose body is text or base64. */
export interface LambdaResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded?: boolean;
  /** For load balancers, such as `200 OK`. */
  readonly statusDescription?: string;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
}

export const resultOf = ({ status, headers, body }: Encoded): LambdaResult => ({
  statusCode: status,
  headers,
  ...(typeof body === 'string'
    ? { body }
    : { body: Buffer.from(body).toString('base64'), isBase64Encoded: true }),
});

/**
 * The part of the path before the relay's own: a stage, or the path that a custom domain maps to the API.
 * Also works for a form called `healthz`. Forms are sent below it, so the pattern is strict: with
 * `//evil.example` or a backslash, a link could point to another host.
 */
const mountPath =
  /^(?:\/[\w.~%$+!*'()-]+)+?(?=\/api\/v1(?:\/|$)|\/f\/[^/]+(?:\/[^/]+)?$|(?<!\/api\/v1\/[a-z-]+|^\/f)\/(?:healthz|readyz)$)/;

/**
 * Splits a path into the mount path and the relay's own path. An HTTP API always prepends its stage, even if
 * the URL of the custom domain does not contain it.
 */
export function splitPath(
  path: string,
  stage: string,
  host = '',
): Required<Pick<RelayRequest, 'mountPath' | 'path' | 'isMountSure'>> {
  const [before = ''] = mountPath.exec(path) ?? [];
  const isMountSure = before === `/${stage}`;
  return {
    mountPath: isMountSure && !host.includes('.execute-api.') ? '' : before,
    isMountSure,
    // HTTP APIs decode the path, so a `%` that starts no escape was encoded.
    path: path.slice(before.length).replaceAll(/%(?![0-9a-f]{2})/gi, '%25'),
  };
}
