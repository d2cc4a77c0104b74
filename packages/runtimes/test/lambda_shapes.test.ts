/** Each event that AWS documents becomes the request that the visitor sent; all other events are refused. */
import { readdirSync, readFileSync } from 'node:fs';
import { httpApiEvent1, loadBalancerEvent, restApiEvent } from '../../../test/support/lambda_events.ts';
import type { RelayRequest, RelayResponse } from '../../core/src/http/request.ts';
import { lambdaHandler } from '../src/lambda/handler.ts';
import type { ProxyEvent } from '../src/lambda/proxy_event.ts';

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

/** The fields specific to each event format. */
const asSent: Readonly<Record<string, object>> = {
  http_api: { path: '/api/v1/submit/Grüße', mountPath: '/live', isMountSure: true },
  function_url: {},
};

test('every event file is covered', () => {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  expect(Object.keys(asSent).sort()).toEqual(names.map((name) => name.replace('.json', '')).sort());
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

test('a missing optional part counts as empty', async () => {
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
  ['/live/f/contact', '/f/contact', '/live'],
  ['/f/healthz', '/f/healthz'],
  ['x/live/healthz', 'x/live/healthz'],
])('the path %s is the relay’s %s', async (rawPath, path, mountPath = '') =>
  expect((await exchange({ ...event('function_url'), rawPath })).request).toMatchObject({ path, mountPath }),
);

test('each sender gets the response format that it expects, as base64 if compressed', async () => {
  const headers = { location: 'https://example.com/', 'x-a': 'b' };
  const fixed = { status: 200, headers: { etag: '"1"' }, body: 'x'.repeat(100), isFixed: true } as const;
  for (const name of ['http_api', 'function_url']) {
    const one = event(name);
    expect((await exchange(one)).result, name).toEqual({ statusCode: 303, headers, body: '' });
    const accepting = { ...one, headers: { ...one.headers, 'accept-encoding': 'gzip' } };
    expect((await exchange(accepting, fixed)).result.isBase64Encoded, name).toBe(true);
  }
});

/** AWS's examples: `events/testdata` of aws-lambda-go, and for payload format 1.0 the API Gateway manual. */
const published: Readonly<Record<string, ProxyEvent>> = Object.fromEntries(
  readFileSync(new URL('published.jsonl', folder), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ name, event }) => [name, event]),
);
const {
  rest_api: rest,
  http_api_format_1: http1,
  load_balancer: balanced,
  load_balancer_multi: multi,
} = published;

test.each([
  [
    'rest_api',
    { path: '/hello/world', query: 'name=me', senderAddress: '192.168.196.186' },
    '54.240.196.186, 54.182.214.83',
  ],
  [
    'http_api_format_1',
    {
      path: '/my/path',
      query: 'parameter1=value1&parameter1=value2&parameter2=value',
      senderAddress: '192.0.2.1',
    },
    undefined,
  ],
  ['load_balancer', { path: '/', query: 'key=hello', senderAddress: '25.12.198.67' }, undefined],
  ['load_balancer_multi', { path: '/', query: 'key=hello', senderAddress: '72.21.198.67' }, undefined],
])('AWS’s example of %s becomes its request', async (name, own, forwarded) => {
  const { httpMethod: method, body } = published[name] ?? {};
  const { request } = await exchange(published[name]);
  expect(request).toMatchObject({ method, body, mountPath: '', ...own });
  expect(request.headers['x-forwarded-for']).toBe(forwarded);
  expect(request.headers['accept-encoding']).toBeUndefined();
  expect(request.headers.header2).toBe(name === 'http_api_format_1' ? 'value1, value2' : undefined);
});

test('the events of other tests have no field that AWS’s examples lack', () => {
  const sent = { method: 'GET', target: '/a?b=c' };
  for (const [event, example] of [
    [restApiEvent(sent), { ...rest, isBase64Encoded: false }],
    [httpApiEvent1(sent), http1],
    [loadBalancerEvent(sent), balanced],
    [loadBalancerEvent(sent, true), multi],
  ])
    expect(Object.keys(example ?? {})).toEqual(expect.arrayContaining(Object.keys(event ?? {})));
});

test.each([
  ['203.0.113.9, 192.0.2.7', '192.0.2.7', '203.0.113.9'],
  ['203.0.113.9,192.0.2.7:49152', '192.0.2.7', '203.0.113.9'],
  ['[2001:db8::7]:49152', '2001:db8::7', undefined],
  ['', undefined, undefined],
])(
  'for a load balancer that reports %j, only the last address is trusted',
  async (header, client, before) => {
    const { request } = await exchange({ ...balanced, headers: { 'x-forwarded-for': header } });
    expect([request.senderAddress, request.headers['x-forwarded-for']]).toEqual([client, before]);
  },
);

const api = 'a.execute-api.eu-central-1.amazonaws.com';
test.each([
  [
    'a stage',
    restApiEvent({ method: 'GET', target: '/healthz', headers: { host: api } }),
    '/production',
    true,
  ],
  [
    'a mapped domain',
    { ...restApiEvent({ method: 'GET', target: '/forms/healthz' }), pathParameters: { proxy: 'healthz' } },
    '/forms',
    true,
  ],
  ['an invented path', restApiEvent({ method: 'GET', target: '/evil/healthz' }), '/evil', false],
  [
    'a stage of format 1.0',
    httpApiEvent1({ method: 'GET', target: '/healthz', headers: { host: api } }, 'live'),
    '/live',
    true,
  ],
  ['a domain of format 1.0', httpApiEvent1({ method: 'GET', target: '/healthz' }, 'live'), '', true],
  [
    'an invented path of a load balancer',
    loadBalancerEvent({ method: 'GET', target: '/evil/healthz' }),
    '/evil',
    false,
  ],
  [
    'the console’s test',
    {
      ...rest,
      path: '/healthz',
      headers: null,
      multiValueHeaders: null,
      requestContext: { stage: 'test-invoke-stage', path: '/{proxy+}', identity: {} },
    },
    '',
    false,
  ],
])('%s is mounted at %s', async (_, event, mountPath, isMountSure) => {
  const path = '/healthz';
  const { request } = await exchange(event);
  if (mountPath !== '' || isMountSure) expect(request).toMatchObject({ path, mountPath, isMountSure });
  else expect(request).toMatchObject({ path, mountPath });
});

test('each sender gets its own response format, compressed if the sender passes bytes on', async () => {
  const answer = { status: 303, headers: { location: 'https://example.com/', 'x-a': 'b' }, body: '' };
  const result = { statusCode: 303, headers: answer.headers, body: '' };
  const described = { ...result, statusDescription: '303 See Other', isBase64Encoded: false };
  const lists = { location: ['https://example.com/'], 'x-a': ['b'] };
  expect((await exchange(rest)).result).toEqual(result);
  expect((await exchange(http1)).result).toEqual(result);
  expect((await exchange(balanced)).result).toEqual(described);
  expect((await exchange(multi)).result).toEqual({ ...described, multiValueHeaders: lists });
  const fixed = { status: 200, headers: { etag: '"1"' }, body: 'x'.repeat(100), isFixed: true } as const;
  const sent = { method: 'GET', target: '/', headers: { 'Accept-Encoding': 'gzip' } };
  for (const [event, isBase64Encoded] of [
    [restApiEvent(sent), undefined],
    [httpApiEvent1(sent), true],
    [loadBalancerEvent(sent), true],
  ] as const)
    expect((await exchange(event, fixed)).result.isBase64Encoded).toBe(isBase64Encoded);
});

test('files that a REST API damaged are dropped from the request', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const event = restApiEvent({ method: 'POST', target: '/', headers });
  const bodyOf = async (body: string, isBase64Encoded = false) =>
    (await exchange({ ...event, body, isBase64Encoded })).request.body;
  expect(await bodyOf('--b\r\n\ufffd')).toBeUndefined();
  expect(await bodyOf('--b\r\nü')).toBe('--b\r\nü');
  expect(await bodyOf(Buffer.from('\ufffd').toString('base64'), true)).toBe('\ufffd');
});

const secret = 'a secret of somebody';
test.each([
  { Records: [{ eventSource: 'aws:sqs', body: secret }] },
  { 'detail-type': 'Scheduled Event', source: 'aws.events', detail: { secret } },
  { requestContext: { connectionId: secret, routeKey: '$connect' }, body: secret },
  { requestContext: secret },
  { requestContext: { elb: {} }, path: secret },
  { requestContext: { identity: {} }, httpMethod: 'GET', path: [secret] },
  { requestContext: { elb: {} }, httpMethod: 'GET', path: '/', multiValueHeaders: { a: secret } },
  { requestContext: { identity: {} }, httpMethod: 'GET', path: '/', body: { secret } },
  { requestContext: { http: { method: 'GET' } }, body: secret },
  { [secret]: secret },
  null,
  secret,
  [secret],
])('%j is refused, in an error that quotes nothing from it', async (one) => {
  const refusal = await exchange(one).then(
    () => undefined,
    (error: Error) => error.message,
  );
  expect(refusal).toContain('this function answers HTTP');
  expect(refusal).toContain('the handler `lambda.kept` takes');
  expect(refusal).not.toContain(secret);
});
