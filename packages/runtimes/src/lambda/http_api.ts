import { type Body, bodyOf, bytesOf, inLowerCase, type OpenEvent, splitStagePath } from './event_shape.ts';

/** The event of API Gateway's HTTP API (payload format 2.0) and of function URLs. */
export interface HttpEvent {
  readonly rawPath: string;
  readonly rawQueryString?: string;
  /** Repeated headers are joined with commas. API Gateway writes names in lower case, `sam local` as sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: {
    readonly stage?: string;
    readonly http: { readonly method: string; readonly sourceIp?: string };
  };
}

export interface HttpResult extends Body {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

const isHttpEvent = (event: unknown): event is HttpEvent => {
  const { requestContext, rawPath }: Partial<HttpEvent> = event ?? {};
  return Boolean(requestContext?.http) && rawPath !== undefined;
};

/** The most common shape, which every cold start loads. */
export const openHttpEvent: OpenEvent<HttpResult> = (event) => {
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
};
