/** On Lambda, whatever stands before `/api/v1` goes into the form's address: no link may choose where that leads. */
import { expect, test } from 'vitest';
import { createRelay } from '../../packages/relay/src/relay.ts';
import { lambdaHandler } from '../../packages/relay/src/runtimes/lambda/handler.ts';
import { apiGatewayEvent, functionUrlEvent } from '../support/lambda_events.ts';

const relay = createRelay({
  config:
    'forms: {contact: {redirect: "https://a.example/", fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}',
  throttled: false,
  effects: { log: () => {} },
});
const handler = lambdaHandler(relay);
const context = { getRemainingTimeInMillis: () => 25_000 };

test.each([
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/%5Cevil.example',
  '/%2Fevil.example',
  '/\t/evil.example',
  '/%09/evil.example',
  '/%0A/evil.example',
  '/a//evil.example',
  '/.//evil.example',
  '/a"onfocus=alert(1)',
  '/javascript:alert(1)',
])('%s', async (before) => {
  const headers = { accept: 'text/html', host: 'forms.example' };
  for (const eventOf of [apiGatewayEvent, functionUrlEvent]) {
    const event = eventOf({ method: 'GET', target: `${before}/api/v1/form/contact`, headers });
    const { body } = await handler(event, context);
    for (const [, action = ''] of body.matchAll(/(?:action|hx-\w+)="([^"]*api[^"]*)"/g)) {
      expect(new URL(action, 'https://forms.example').host).toBe('forms.example');
    }
    expect(body).not.toMatch(/onfocus=|javascript:/);
  }
});
