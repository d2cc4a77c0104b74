import type { HttpEvent } from '../../src/runtimes/lambda.ts';

export interface EventOptions {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** What a function URL makes of a request: the path as sent. */
export function functionUrlEvent({ method, target, headers = {}, body }: EventOptions): HttpEvent {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const event = {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: { 'x-forwarded-proto': 'https', ...headers },
    requestContext: { stage: '$default', requestId: 'id', http: { method, path, sourceIp: '192.0.2.1' } },
    ...bodyOf(headers['content-type'], body),
  };
  return event;
}

/** What an HTTP API makes of it: the path decoded, and with the stage in front, unless that is `$default`. */
export function apiGatewayEvent(options: EventOptions, stage = '$default'): HttpEvent {
  const event = functionUrlEvent(options);
  const path = decode((stage === '$default' ? '' : `/${stage}`) + event.rawPath);
  return {
    ...event,
    rawPath: path,
    requestContext: { ...event.requestContext, stage },
  };
}

/** Bytes as Lambda gets them: as text only where the media type says that they are text. */
function bodyOf(mediaType: string | undefined, body: Buffer | undefined) {
  if (!body?.length) return { isBase64Encoded: false };
  const isText = /^(text\/|application\/(json|xml|javascript))/.test(mediaType ?? '');
  return isText
    ? { body: body.toString('utf8'), isBase64Encoded: false }
    : { body: body.toString('base64'), isBase64Encoded: true };
}

/** Broken escapes stay, broken UTF-8 becomes U+FFFD. */
const decode = (path: string) =>
  path.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
