/** Each event that AWS sends, as its docs show it, becomes the request that the visitor sent; all others are refused. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RelayRequest, RelayResponse } from '../../core/src/http/request.ts';
import { lambdaHandler } from '../src/lambda/handler.ts';

const folder = new URL('lambda-events/', import.meta.url);
const event = (name: string) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

/** The request that the relay gets, and its answer. */
async function exchange(one: unknown, answer: Partial<RelayResponse> = {}) {
  let seen: RelayRequest | undefined;
  const handler = lambdaHandler({
    handle: async (request) => {
      seen = request;
      return { status: 303, headers: { location: 'https://example.com/', 'x-a': 'b' }, body: '', ...answer };
    },
    flush: async () => {},
  });
  const context = { awsRequestId: 'aws-id', getRemainingTimeInMillis: () => 20_000 };
  const result = await handler(one, context);
  const body = seen?.body && Buffer.from(seen.body).toString();
  const headers = Object.fromEntries(Object.entries(seen?.headers ?? {}).filter(([, value]) => value));
  return { request: { senderAddress: undefined, ...seen, body, headers }, result };
}

const submission = {
  method: 'POST',
  path: '/api/v1/submit/Gr%C3%BC%C3%9Fe',
  mountPath: '',
  query: 'as=page&topic=sales&topic=a%20%26%20b',
  senderAddress: '192.0.2.7',
  body: 'name=Ann&message=%C3%9C',
  id: 'aws-id',
  timeLeftMs: 20_000,
};

/** The data of each event format, in addition to those of all. */
const asSent: Readonly<Record<string, object>> = {
  http_api: { path: '/api/v1/submit/Grüße', mountPath: '/live', isMountSure: true },
  function_url: {},
};

test('every event here is looked at', () => {
  const names = readdirSync(folder).map((name) => name.replace('.json', ''));
  expect(Object.keys(asSent).sort()).toEqual(names.sort());
});

test.each(Object.entries(asSent))('%s', async (name, own) => {
  const { request } = await exchange(event(name));
  expect(request).toMatchObject({ ...submission, ...own });
  expect(request.headers).toMatchObject({
    accept: '*/*',
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': 'curl/8.5.0',
    'x-forwarded-proto': 'https',
  });
  expect(request.headers['accept-language']?.replace(' ', '')).toBe('de,en;q=0.5');
});

test('an optional part that is missing is as if it were empty', async () => {
  const { body: _, rawQueryString, isBase64Encoded, ...http } = event('function_url');
  const { stage, ...requestContext } = http.requestContext;
  const bare = { ...http, requestContext, headers: {}, body: 'a=ü' };
  expect((await exchange(bare)).request).toMatchObject({
    ...submission,
    query: '',
    body: 'a=ü',
    isMountSure: false,
  });
});

test.each([
  ['/api/v1/form/100%', '/api/v1/form/100%25'],
  ['/api/v1/form/%a', '/api/v1/form/%25a'],
  ['/api/v1/form/%zz%41', '/api/v1/form/%25zz%41'],
  ['/live/api/v1', '/api/v1', '/live'],
  ['/live/api/v10', '/live/api/v10'],
  ['/live/healthz', '/healthz', '/live'],
  ['/api/v1/sent/healthz', '/api/v1/sent/healthz'],
  ['/live/api/v1/challenge/healthz', '/api/v1/challenge/healthz', '/live'],
  ['/live/healthzx', '/live/healthzx'],
  ['x/live/healthz', 'x/live/healthz'],
])('the path %s is the relay’s %s', async (rawPath, path, mountPath = '') => {
  expect((await exchange({ ...event('function_url'), rawPath })).request).toMatchObject({ path, mountPath });
});

test('each gets the answer that it understands, as base64 where it is compressed', async () => {
  const headers = { location: 'https://example.com/', 'x-a': 'b' };
  const fixed = { status: 200, headers: { etag: '"1"' }, body: 'x'.repeat(100), isFixed: true } as const;
  for (const name of ['http_api', 'function_url']) {
    const one = event(name);
    expect((await exchange(one)).result, name).toEqual({ statusCode: 303, headers, body: '' });
    const accepting = { ...one, headers: { ...one.headers, 'accept-encoding': 'gzip' } };
    expect((await exchange(accepting, fixed)).result.isBase64Encoded, name).toBe(true);
  }
});

const secret = 'a secret of somebody';
test.each([
  { Records: [{ eventSource: 'aws:sqs', body: secret }] },
  { 'detail-type': 'Scheduled Event', source: 'aws.events', detail: { secret } },
  { requestContext: { connectionId: secret, routeKey: '$connect' }, body: secret },
  { requestContext: secret },
  { requestContext: { elb: {} }, httpMethod: 'GET', path: secret },
  { requestContext: { identity: {} }, httpMethod: 'GET', path: secret },
  { requestContext: { http: { method: 'GET' } }, body: secret },
  { [secret]: secret },
  null,
  secret,
  [secret],
])('%j is refused, in words that hold nothing of it', async (one) => {
  const refusal = await exchange(one).then(
    () => undefined,
    (error: Error) => error.message,
  );
  expect(refusal).toContain('this function answers HTTP');
  expect(refusal).toContain('the handler `lambda.kept` takes');
  expect(refusal).not.toContain(secret);
});
