import { createRelay } from '../../../test/support/bare_relay.ts';
import { apiGatewayEvent, functionUrlEvent } from '../../../test/support/lambda_events.ts';
import type { HttpRequest } from '../../core/src/services.ts';
import { lambdaHandler } from '../src/lambda/handler.ts';

const config = `
forms:
  contact:
    fields: [{name: name}]
    captcha: {provider: turnstile, secret: s}
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
`;
const api = 'x.execute-api.eu-central-1.amazonaws.com';
const context = { getRemainingTimeInMillis: () => 20_000 };

function handler() {
  const posts: HttpRequest[] = [];
  const http = async (post: HttpRequest) => {
    posts.push(post);
    return { status: 200, headers: {}, body: '{"success":true}' };
  };
  const relay = createRelay({ config, env: {}, throttled: false, effects: { http, log: () => {} } });
  return { handle: lambdaHandler(relay), posts };
}

const submission = {
  method: 'POST',
  target: '/api/v1/submit/contact',
  headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'forms.example.com' },
  body: Buffer.from('name=Ann&cf-turnstile-response=t'),
};

test('the captcha provider gets the client address that API Gateway reports, and outputs do not', async () => {
  const { handle, posts } = handler();
  expect((await handle(functionUrlEvent(submission), context)).statusCode).toBe(200);
  const [verification, delivery] = posts.map(({ body }) => body);
  expect(new URLSearchParams(verification).get('remoteip')).toBe('192.0.2.1');
  expect(delivery).toBe('name=Ann');
});

test.each([
  ['/relay/api/v1/form/contact', '$default', 'forms.example.com', '/relay/api/v1/submit/contact'],
  ['/prod/api/v1/form/contact', 'prod', 'forms.example.com', '/api/v1/submit/contact'],
  ['/prod/api/v1/form/contact', 'prod', api, '/prod/api/v1/submit/contact'],
  ['/api/api/v1/form/contact', 'api', api, '/api/api/v1/submit/contact'],
  ['/api/v1/form/contact', '$default', 'forms.example.com', '/api/v1/submit/contact'],
])('%s in stage %s of %s shows a form that posts to %s', async (path, stage, host, action) => {
  const { handle } = handler();
  const event = apiGatewayEvent({ method: 'GET', target: path, headers: { host } });
  const answer = await handle({ ...event, requestContext: { ...event.requestContext, stage } }, context);
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toContain(` action="${action}"`);
});
