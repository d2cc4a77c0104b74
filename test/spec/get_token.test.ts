import { expect, test } from 'vitest';
import { httpSink, relayWith } from './stage.ts';

async function staged(secret = 'signing secret') {
  const sink = await httpSink();
  const form = (spam?: object) => ({
    fields: [{ name: 'name', required: true }],
    outputs: [{ type: 'http_post', url: sink.origin, mapping: '*' }],
    spam,
  });
  const forms = {
    plain: form(),
    timed: form({ min_fill_seconds: 2 }),
    custom: form({ min_fill_seconds: 2, token_field: 'a "quoted" <name>' }),
  };
  const clock = { ms: Date.UTC(2030, 0, 1) };
  const relay = await relayWith({
    config: JSON.stringify({ forms }),
    env: { FORM_TOKEN_SECRET: secret },
    effects: { now: () => clock.ms },
  });
  return { relay, sink, clock };
}

test('a query changes nothing', async () => {
  const { relay } = await staged();
  const { text } = await relay.get('/api/v1/token/timed');
  expect((await relay.get('/api/v1/token/timed?_ts=mine&name=x&token_field=y')).text).toBe(text);
});

test('a form without min-fill has no token to return', async () => {
  const { relay } = await staged();
  const answer = await relay.get('/api/v1/token/plain');
  expect([answer.status, answer.text]).toEqual([200, '']);
});
