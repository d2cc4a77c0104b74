import type { HttpEvent } from '../../src/runtimes/lambda/http_api.ts';
import type { LoadBalancerEvent } from '../../src/runtimes/lambda/load_balancer.ts';
import type { RestEvent } from '../../src/runtimes/lambda/rest_api.ts';

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

/**
 * What a REST API makes of it that takes all bodies as binary: the path as sent, beside one without the stage, and the
 * query decoded.
 */
export function restApiEvent(
  { method, target, headers = {}, body }: EventOptions,
  stage = 'production',
): RestEvent {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const decoded: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) decoded[name] = [...(decoded[name] ?? []), value];
  const isOnDomain = !headers.host?.includes('.execute-api.');
  return {
    resource: '/{proxy+}',
    path,
    httpMethod: method,
    headers: { 'X-Forwarded-Proto': 'https', ...headers },
    multiValueHeaders: eachInList({ 'X-Forwarded-Proto': 'https', ...headers }),
    queryStringParameters: query === '' ? null : lastOf(decoded),
    multiValueQueryStringParameters: query === '' ? null : decoded,
    pathParameters: { proxy: path.slice(1) },
    requestContext: {
      stage,
      path: isOnDomain ? path : `/${stage}${path}`,
      identity: { sourceIp: '192.0.2.1' },
    },
    body: body?.length ? body.toString('base64') : null,
    isBase64Encoded: Boolean(body?.length),
  };
}

/** What an Application Load Balancer makes of it: path and query as sent. Of what comes several times, the last or all. */
export function loadBalancerEvent(
  { method, target, headers = {}, body }: EventOptions,
  isMulti = false,
): LoadBalancerEvent {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const sent: Record<string, string[]> = {};
  for (const pair of query.split('&').filter(Boolean)) {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    sent[name] = [...(sent[name] ?? []), value];
  }
  const all = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https', ...headers };
  const isText = /^(text\/|application\/(json|xml|javascript))/.test(headers['content-type'] ?? '');
  return {
    requestContext: {
      elb: {
        targetGroupArn:
          'arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/forms/6d0ecf831eec9f09',
      },
    },
    httpMethod: method,
    path,
    ...(isMulti
      ? { multiValueQueryStringParameters: sent, multiValueHeaders: eachInList(all) }
      : { queryStringParameters: lastOf(sent), headers: all }),
    body: body?.toString(isText ? 'utf8' : 'base64') ?? '',
    isBase64Encoded: !isText && Boolean(body?.length),
  };
}

const eachInList = (one: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(one).map(([name, value]) => [name, [value]]));

const lastOf = (all: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(all).map(([name, values]) => [name, values.at(-1)]));
