import type { RelayRequest } from '@form-relay/core/http/request';
import type { Encoded } from '../encoded.ts';

/** A request that an event holds, and the way to answer it. */
export interface Opened {
  readonly request: RelayRequest;
  readonly result: (answer: Encoded) => LambdaResult;
  /** Whether an answer may be binary, as base64: only then is it compressed. */
  readonly takesBytes: boolean;
}

/** An answer in JSON, with a body that is text or base64. */
export interface LambdaResult {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded?: boolean;
  /** `200 OK`; for load balancers alone. */
  readonly statusDescription?: string;
  /** In place of `headers`, for load balancers that send them. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
}

/** The event of API Gateway's HTTP API (payload format 2.0) and of function URLs. */
export interface HttpEvent {
  readonly rawPath: string;
  readonly rawQueryString?: string;
  /** Repeated headers are joined with commas. API Gateway writes names in lower case, `sam local` as sent. */
  readonly headers?: Headers;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: {
    readonly stage?: string;
    readonly http: { readonly method: string; readonly sourceIp?: string };
  };
}

const isHttpEvent = (event: unknown): event is HttpEvent => {
  const { requestContext, rawPath }: Partial<HttpEvent> = event ?? {};
  return Boolean(requestContext?.http) && rawPath !== undefined;
};

/**
 * Opens the most common events; `undefined` for others (other_events.ts). Nothing that the sender of the request wrote
 * decides which it is.
 */
export function openHttpEvent(event: unknown): Opened | undefined {
  if (!isHttpEvent(event)) return undefined;
  const { rawPath, rawQueryString = '', headers: given, body, isBase64Encoded, requestContext } = event;
  const { stage = '$default', http } = requestContext;
  const headers = inLowerCase(given);
  return {
    request: {
      method: http.method,
      ...splitStagePath(rawPath, stage, headers.host),
      query: String(rawQueryString),
      ...(http.sourceIp && { senderAddress: http.sourceIp }),
      headers,
      body: bytesOf(body, isBase64Encoded),
    },
    result: (answer) => ({ statusCode: answer.status, headers: answer.headers, ...bodyOf(answer) }),
    takesBytes: true,
  };
}

export const bodyOf = ({ body }: Encoded): Pick<LambdaResult, 'body' | 'isBase64Encoded'> =>
  typeof body === 'string' ? { body } : { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };

/** The body's bytes; `sam local` and REST APIs send `null` for none. */
export const bytesOf = (body: string | null | undefined, isBase64Encoded = false): Buffer =>
  Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');

export type Headers = Readonly<Record<string, string | undefined>>;

/** Header names may come in lower case or as they were sent. */
export const inLowerCase = (headers: Headers = {}): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * The path before the relay's own: a stage, or the path that a custom domain maps to the API; also if a form is called
 * `healthz`. Forms are sent below it, so a link must not choose it freely: `//evil.example` or a backslash would be another
 * host.
 */
const mountPath =
  /^(?:\/[\w.~%$+!*'()-]+)+?(?=\/api\/v1(?:\/|$)|(?<!\/api\/v1\/(?:submit|check|form|token|confirm))\/(?:healthz|readyz)$)/;

/** Splits a path into the mount path and the relay's own. */
export function splitPath(path: string): Required<Pick<RelayRequest, 'mountPath' | 'path'>> {
  const [before = ''] = mountPath.exec(path) ?? [];
  // Only HTTP APIs decode the path: a `%` that begins no escape was encoded.
  return { mountPath: before, path: path.slice(before.length).replaceAll(/%(?![0-9a-f]{2})/gi, '%25') };
}

/** The same for an HTTP API, which puts its stage in front, even for a custom domain whose path doesn't name it. */
export function splitStagePath(
  path: string,
  stage: string,
  host = '',
): Required<Pick<RelayRequest, 'mountPath' | 'path' | 'isMountSure'>> {
  const split = splitPath(path);
  const isMountSure = split.mountPath === `/${stage}`;
  const isUnseen = isMountSure && !host.includes('.execute-api.');
  return { ...split, mountPath: isUnseen ? '' : split.mountPath, isMountSure };
}
