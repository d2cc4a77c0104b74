/** Each event that AWS sends, as its docs show it, becomes the request that the visitor sent; all others are refused. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RelayRequest, RelayResponse } from '../../packages/core/src/http/request.ts';
// Before the first event: a test that fails then fails for what it is about.
import '../../packages/runtimes/src/lambda/other_events.ts';
import { lambdaHandler } from '../../packages/runtimes/src/lambda/handler.ts';

const folder = new URL('lambda-events/', import.meta.url);
const event = (name: string) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

/** What the relay is asked, and what goes back. */
async function asked(one: unknown, answer: Partial<RelayResponse> = {}) {
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

/** What is said by each, beside what all say. */
const asSent: Readonly<Record<string, object>> = {
  http_api: { path: '/api/v1/submit/Grüße', mountPath: '/live', isMountSure: true },
  function_url: {},
  http_api_format_1: {
    method: 'GET',
    path: '/api/v1/form/Grüße',
    mountPath: '/live',
    isMountSure: true,
    query: 'name=Ann',
    body: '',
  },
  rest_api: { mountPath: '/production', isMountSure: true, query: 'as=page&topic=sales&topic=a+%26+b' },
  rest_api_on_a_domain: {
    method: 'GET',
    path: '/api/v1/form/contact',
    mountPath: '/forms',
    isMountSure: true,
    query: '',
    body: '',
  },
  load_balancer: { query: 'as=page&topic=a%20%26%20b' },
  load_balancer_with_all_values: {},
  load_balancer_health_check: {
    method: 'GET',
    path: '/healthz',
    query: '',
    body: '',
    headers: { 'user-agent': 'ELB-HealthChecker/2.0' },
    senderAddress: undefined,
  },
};

test('every event here is looked at', () => {
  const names = readdirSync(folder).map((name) => name.replace('.json', ''));
  expect(Object.keys(asSent).sort()).toEqual(names.sort());
});

test.each(Object.entries(asSent))('%s', async (name, own) => {
  const { request } = await asked(event(name));
  expect(request).toMatchObject({ ...submission, ...own });
  if (name.endsWith('health_check')) return;
  expect(request.headers).toMatchObject({
    accept: '*/*',
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': 'curl/8.5.0',
    'x-forwarded-proto': 'https',
  });
  expect(request.headers['accept-language']?.replace(' ', '')).toBe('de,en;q=0.5');
});

test('a load balancer vouches for the last address alone, and leaves those before to TRUSTED_PROXIES', async () => {
  for (const name of ['load_balancer', 'load_balancer_with_all_values']) {
    const { request } = await asked(event(name));
    expect([request.senderAddress, request.headers['x-forwarded-for']]).toEqual(['192.0.2.7', '203.0.113.9']);
  }
  const one = event('load_balancer');
  for (const [header, client] of [
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]:49152', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['192.0.2.9:80', '192.0.2.9'],
    // No load balancer writes these: they are no addresses, and stay as they are.
    ['x[2001:db8::7]:1', 'x[2001:db8::7]:1'],
    ['[2001:db8::7]:1x', '[2001:db8::7]:1x'],
    ['x192.0.2.9:80', 'x192.0.2.9:80'],
    ['192.0.2.9:80x', '192.0.2.9:80x'],
  ]) {
    const { request } = await asked({ ...one, headers: { 'x-forwarded-for': header } });
    expect([request.senderAddress, request.headers['x-forwarded-for']]).toEqual([client, undefined]);
  }
});

test('a path that a visitor made up is none that the API vouches for', async () => {
  const one = event('rest_api_on_a_domain');
  const path = '/forms/evil/api/v1/form/contact';
  const { request } = await asked({
    ...one,
    path,
    pathParameters: { proxy: 'evil/api/v1/form/contact' },
    requestContext: { ...one.requestContext, path },
  });
  expect(request).toMatchObject({ mountPath: '/forms/evil', isMountSure: false });
});

test('what may be left out is as if it were empty', async () => {
  const { body: _, rawQueryString, isBase64Encoded, ...http } = event('function_url');
  const { stage, ...requestContext } = http.requestContext;
  const bare = { ...http, requestContext, headers: {}, body: 'a=ü' };
  expect((await asked(bare)).request).toMatchObject({
    ...submission,
    query: '',
    body: 'a=ü',
    isMountSure: false,
  });
  const rest = event('rest_api');
  const { request } = await asked({ ...rest, pathParameters: null, multiValueHeaders: { a: undefined } });
  expect(request).toMatchObject({ path: submission.path, headers: {} });
  const query = { a: undefined, b: ['1'] };
  expect((await asked({ ...rest, multiValueQueryStringParameters: query })).request.query).toBe('b=1');
  const balanced = event('load_balancer');
  const sent = { ...balanced, headers: { 'x-forwarded-for': ',192.0.2.7' } };
  expect((await asked(sent)).request).toMatchObject({ senderAddress: '192.0.2.7', headers: {} });
});

test.each([
  ['/api/v1/form/100%', '/api/v1/form/100%25'],
  ['/api/v1/form/%a', '/api/v1/form/%25a'],
  ['/api/v1/form/%zz%41', '/api/v1/form/%25zz%41'],
  ['/live/api/v1', '/api/v1', '/live'],
  ['/live/api/v10', '/live/api/v10'],
  ['/live/healthz', '/healthz', '/live'],
  ['/live/healthzx', '/live/healthzx'],
  ['x/live/healthz', 'x/live/healthz'],
])('the path %s is the relay’s %s', async (rawPath, path, mountPath = '') => {
  expect((await asked({ ...event('function_url'), rawPath })).request).toMatchObject({ path, mountPath });
});

test.each([
  ['/forms/api/v1', 'api/v1', '/{proxy+}', true],
  ['/forms/healthz', 'healthz', '/{proxy+}', true],
  ['/production/healthz', 'other', '/{proxy+}', true],
  // Another resource has other parameters.
  ['/forms/api/v1/form/a', 'api/v1/form/a', '/{proxy}', false],
  ['/forms/api/v1/form/a', undefined, '/{proxy+}', false],
  ['/forms/api/v1/form/a', 'a/healthz', '/{proxy+}', false],
  ['/forms/healthz', 'healthz-not', '/{proxy+}', false],
])('a REST API vouches for %s, asked as %s of %s: %s', async (path, proxy, resource, isMountSure) => {
  const one = event('rest_api');
  const requestContext = { ...one.requestContext, path };
  const { request } = await asked({ ...one, path, resource, pathParameters: { proxy }, requestContext });
  expect(request.isMountSure).toBe(isMountSure);
});

test('each sender gets the answer that it understands', async () => {
  const headers = { location: 'https://example.com/', 'x-a': 'b' };
  const plain = { statusCode: 303, headers, body: '' };
  for (const name of ['http_api', 'function_url', 'rest_api', 'http_api_format_1'])
    expect((await asked(event(name))).result, name).toEqual(plain);
  const toBalancer = {
    statusCode: 303,
    statusDescription: '303 See Other',
    isBase64Encoded: false,
    body: '',
  };
  expect((await asked(event('load_balancer'))).result).toEqual({ ...toBalancer, headers });
  expect((await asked(event('load_balancer_with_all_values'))).result).toEqual({
    ...toBalancer,
    multiValueHeaders: { location: ['https://example.com/'], 'x-a': ['b'] },
  });
});

test('what is compressed goes as base64, and not to REST APIs, which would pass that on as text', async () => {
  const fixed = { status: 200, headers: { etag: '"1"' }, body: 'x'.repeat(100), isFixed: true } as const;
  const accepting = (name: string) => {
    const one = event(name);
    const [headers, multi] = [one.headers, one.multiValueHeaders];
    return {
      ...one,
      ...(headers && { headers: { ...headers, 'accept-encoding': 'gzip' } }),
      ...(multi && { multiValueHeaders: { ...multi, 'Accept-Encoding': ['gzip'] } }),
    };
  };
  for (const name of ['http_api', 'load_balancer', 'load_balancer_with_all_values'])
    expect((await asked(accepting(name), fixed)).result.isBase64Encoded, name).toBe(true);
  const { result } = await asked(accepting('rest_api'), fixed);
  expect([result.isBase64Encoded, result.body]).toEqual([undefined, fixed.body]);
});

test('files that a REST API handed over as text are not taken for what was sent', async () => {
  const one = event('rest_api');
  const type = ['multipart/form-data; boundary=b'];
  const multipart = { ...one, multiValueHeaders: { ...one.multiValueHeaders, 'content-type': type } };
  expect((await asked({ ...multipart, body: '--b\r\n\ufffd' })).request.body).toBeUndefined();
  expect((await asked({ ...multipart, body: '--b\r\nü' })).request.body).toBe('--b\r\nü');
  const base64 = Buffer.from('--b\r\n\ufffd').toString('base64');
  const asBytes = { ...multipart, body: base64, isBase64Encoded: true };
  expect((await asked(asBytes)).request.body).toBe('--b\r\n\ufffd');
  // What was broken when it was typed is text.
  for (const other of [{ 'content-type': ['text/plain; a=multipart/'] }, {}])
    expect((await asked({ ...multipart, multiValueHeaders: other, body: '\ufffd' })).request.body).toBe(
      '\ufffd',
    );
  expect((await asked({ ...multipart, body: null })).request.body).toBe('');
});

const secret = 'a secret of somebody';
test.each([
  { Records: [{ eventSource: 'aws:sqs', body: secret }] },
  { 'detail-type': 'Scheduled Event', source: 'aws.events', detail: { secret } },
  { requestContext: { connectionId: secret, routeKey: '$connect' }, body: secret },
  { requestContext: secret },
  { requestContext: { elb: {} }, path: secret },
  { requestContext: { identity: {} }, httpMethod: secret },
  { requestContext: { http: { method: 'GET' } }, body: secret },
  { [secret]: secret },
  null,
  secret,
  [secret],
])('%j is refused, in words that hold nothing of it', async (one) => {
  const refusal = await asked(one).then(
    () => undefined,
    (error: Error) => error.message,
  );
  expect(refusal).toContain('this function answers HTTP');
  expect(refusal).toContain('the handler `lambda.kept` takes');
  expect(refusal).not.toContain(secret);
});
