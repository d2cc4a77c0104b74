/** A visitor's input arrives as JSON from API Gateway, a load balancer or a function URL: it must not break out of its place. */
import { type LambdaHandler, lambdaHandler } from '../../packages/runtimes/src/lambda/handler.ts';
import { createRelay, httpSink } from '../support/index.ts';
import {
  apiGatewayEvent,
  functionUrlEvent,
  loadBalancerEvent,
  restApiEvent,
} from '../support/lambda_events.ts';

const context = { getRemainingTimeInMillis: () => 25_000 };
const secret = 'visitors-secret';
const urlencoded = 'application/x-www-form-urlencoded';

async function stage() {
  const sink = await httpSink();
  const logged: object[] = [];
  const relay = createRelay({
    config: `forms: {contact: {redirect: "https://a.example/", fields: [{name: a, required: true}], outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]}}`,
    throttled: false,
    effects: { log: (level, event, fields) => void logged.push({ level, event, ...fields }) },
  });
  return { sink, logged, handler: lambdaHandler(relay) };
}

type Asking = Parameters<typeof functionUrlEvent>[0];
const shapes: readonly [name: string, of: (asking: Asking) => object][] = [
  ['an HTTP API', (asking) => apiGatewayEvent(asking)],
  ['a function URL', functionUrlEvent],
  ['a REST API', (asking) => restApiEvent(asking)],
  ['a load balancer', (asking) => loadBalancerEvent(asking)],
  ['a load balancer with multi-value headers', (asking) => loadBalancerEvent(asking, true)],
];

const post: Asking = {
  method: 'POST',
  target: '/api/v1/submit/contact',
  headers: { 'content-type': urlencoded },
  body: Buffer.from('a=Ada'),
};

const answerTo = async (handler: LambdaHandler, event: object) => {
  const { statusCode, body, ...rest } = await handler(event, context);
  return { status: statusCode, body, all: JSON.stringify([rest, body]) };
};

test.each(shapes)('hostile paths through %s lead to no form, and to no other host', async (_, eventOf) => {
  const { handler, sink } = await stage();
  for (const target of [
    ...['/api/v1/submit/..%2fcontact', '/api/v1/submit/contact%00', '/api/v1/submit/__proto__'],
    ...['/api/v1/submit/contact/../../form/contact', '/api/v1/submit/%', '/api/v1/submit/%ff'],
    ...[`/api/v1/submit/${'a'.repeat(100_000)}`, '/api/v1/submit/<script>alert(1)</script>'],
    ...['//evil.example/api/v1/nothing', '', 'api/v1/submit/contact'],
    ...['https://evil.example/api/v1/other/contact'],
  ]) {
    const answer = await answerTo(handler, eventOf({ ...post, target }));
    expect([400, 404], target.slice(0, 80)).toContain(answer.status);
    expect(answer.all).not.toMatch(/<script|evil\.example|at \w+ \(|node:|\/src\//);
  }
  for (const before of [
    '//evil.example',
    '/\\evil.example',
    '/a"onfocus=alert(1)',
    '/javascript:alert(1)',
    '/.//evil.example',
  ]) {
    const headers = { accept: 'text/html', host: 'forms.example' };
    const { body } = await answerTo(
      handler,
      eventOf({ method: 'GET', target: `${before}/api/v1/form/contact`, headers }),
    );
    for (const [, action = ''] of body.matchAll(/(?:action|hx-\w+)="([^"]*api[^"]*)"/g))
      expect(new URL(action, 'https://forms.example').host).toBe('forms.example');
    expect(body).not.toMatch(/onfocus=|javascript:/);
  }
  expect(sink.requests).toEqual([]);
});

test.each(shapes)(
  'hostile headers through %s become no headers of requests or answers',
  async (_, eventOf) => {
    const { handler, sink, logged } = await stage();
    const hostile = {
      ...post.headers,
      'x-request-id': `1\r\nset-cookie: ${secret}`,
      traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\nx-evil: ${secret}`,
      origin: `https://evil.example\r\nx-evil: ${secret}`,
      host: `evil.example\r\nx-evil: ${secret}`,
      __proto__: secret,
      'accept-language': secret.repeat(1_000),
    };
    const { status, all } = await answerTo(handler, eventOf({ ...post, headers: hostile }));
    expect(status).toBe(200);
    expect(all).not.toMatch(/visitors-secret|x-evil|set-cookie/);
    expect(JSON.stringify(sink.requests.map(({ headers }) => headers))).not.toMatch(/visitors-secret|x-evil/);
    expect(JSON.stringify(logged)).not.toContain(secret);
  },
);

test('a body marked as base64 that is not base64 has no unexpected effect', async () => {
  const { handler, sink, logged } = await stage();
  for (const [, eventOf] of shapes) {
    for (const body of ['%%%', `a=${secret}`, '====', 'é'.repeat(10_000)]) {
      const answer = await answerTo(handler, { ...eventOf(post), body, isBase64Encoded: true });
      expect([400, 422]).toContain(answer.status);
      expect(answer.all).not.toContain(secret);
    }
  }
  expect(sink.requests).toEqual([]);
  expect(JSON.stringify(logged)).not.toContain(secret);
});

test('neither the first nor the second value of a header sent twice counts', async () => {
  const { handler } = await stage();
  const twice = (name: string, values: readonly string[]) => {
    const multiValueHeaders = { 'content-type': [urlencoded], [name]: values };
    return [restApiEvent(post), loadBalancerEvent(post, true)].map((event) => ({
      ...event,
      multiValueHeaders,
    }));
  };
  for (const event of twice('content-type', [urlencoded, 'multipart/form-data; boundary=b']))
    expect((await answerTo(handler, event)).status).toBe(400);
  for (const event of twice('host', ['forms.example', '"><script>alert(1)</script>']))
    expect((await answerTo(handler, event)).all).not.toContain('<script');
});
