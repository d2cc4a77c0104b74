/** A config with a store that only Cloudflare Workers have loads in no other relay. */

import { expect, onTestFinished, test } from 'vitest';
import { relayWith } from '../../../test/spec/stage.ts';
import { createRelay } from '../../../test/support/bare_relay.ts';

const form = `forms:
  contact:
    fields: [{name: name}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
`;
const kept = 'keep: {in: "queue://KEPT/ASIDE"}\n';
const counted = 'counted_in: durable-object://COUNTS\n';

test('the relay is not ready, and its log says where each is and what to write', async () => {
  const relay = await relayWith({ config: `${kept}${counted}${form}` });
  expect((await relay.get('/readyz')).status).toBe(503);
  expect((await relay.submit('contact', 'name=Ada')).status).toBe(500);
  const [told] = relay.logged;
  expect([told?.level, told?.event]).toEqual(['error', 'config_invalid']);
  const words =
    'only Cloudflare Workers have this store, and a relay elsewhere does not load this config; there, write ';
  expect(told?.problems).toEqual([
    expect.stringContaining(
      `:1:13: keep.in: ${words}a folder such as /var/lib/form-relay, sqs://… or nats://…`,
    ),
    expect.stringContaining(`:2:13: counted_in: ${words}a folder such as /var/lib/form-relay, nats://`),
  ]);
});

test('a relay that runs keeps its last config', async () => {
  const texts = [form, kept + form];
  const relay = createRelay({
    env: { CACHE_TTL: '0s' },
    source: {
      name: 'webform.yaml',
      read: async () => ({ ok: true, value: texts.shift() ?? kept }),
      readSibling,
    },
    effects: { log: () => {} },
  });
  onTestFinished(() => relay.close());
  const first = await relay.config.get();
  expect(first?.forms.size).toBe(1);
  expect(await relay.config.get()).toBe(first);
  expect(relay.config.state).toBe('refresh_failed');
});

const readSibling = async () => ({ ok: false, error: 'there is none' }) as const;

test('on a platform with bindings, the same config loads', async () => {
  const relay = createRelay({
    config: kept + form,
    env: {},
    effects: { log: () => {}, binding: () => ({}) },
    freezes: true,
  });
  onTestFinished(() => relay.close());
  expect((await relay.config.get())?.forms.size).toBe(1);
});
