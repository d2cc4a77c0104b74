/** Where in a service a message goes, as its keys say it, and answers that mean nothing. */
import { expect, onTestFinished, test } from 'vitest';
import { chatServices } from '../../../test/support/chats/index.ts';
import { startHttpSink } from '../../../test/support/http_sink.ts';
import { startRelay } from '../../../test/support/relay.ts';

test('telegram may be behind a path, with a slash at its end or without', async () => {
  const sink = await startHttpSink({ answer: () => ({ body: '{"ok":true}' }) });
  const outputs = ['', '/', '/gate', '/gate/'].map(
    (at) => `{type: telegram, token: '{{ env "TOKEN" }}', chat_id: 5, server: "${sink.origin}${at}"}`,
  );
  const relay = await startRelay({
    config: `forms: {contact: {fields: [{name: name}], outputs: [${outputs}]}}`,
    effects: { env: (name) => (name === 'TOKEN' ? 'token' : undefined) },
  });
  onTestFinished(async () => {
    await relay.close();
    await sink.close();
  });
  expect((await relay.submit('contact', [['name', 'Ada']])).status).toBe(200);
  const path = '/bottoken/sendMessage';
  const asked = sink.requests.map(({ url }) => url);
  expect(asked.toSorted()).toEqual([path, path, `/gate${path}`, `/gate${path}`].toSorted());
});

test.each([
  [202, 'anything'],
  [200, ' \n'],
  [200, '{"done":1}'],
  [200, '{"ok":true,"error":null}'],
])('teams: a workflow that answers %i %j took it', async (status, body) => {
  const sink = await startHttpSink({ answer: () => ({ status, body }) });
  const relay = await startRelay({
    config: `forms: {contact: {fields: [{name: name}], outputs: [{type: teams, url: "${sink.origin}/"}]}}`,
  });
  onTestFinished(async () => {
    await relay.close();
    await sink.close();
  });
  expect((await relay.submit('contact', [['name', 'Ada']])).status).toBe(200);
});

test('ntfy: an address in the environment names its topic, or the delivery fails and says which does not', async () => {
  const ntfy = chatServices.find(({ type }) => type === 'ntfy');
  const sink = await startHttpSink({ answer: ntfy?.answer ?? (() => ({})) });
  let held = '';
  const relay = await startRelay({
    config: 'forms: {contact: {fields: [{name: name}], outputs: [{type: ntfy, url_env: NTFY_URL}]}}',
    effects: { env: (name) => (name === 'NTFY_URL' ? held : undefined) },
  });
  onTestFinished(async () => {
    await relay.close();
    await sink.close();
  });
  for (const path of ['', '/', '/a%20b', `/${'x'.repeat(65)}`]) {
    held = `${sink.origin}${path}`;
    expect((await relay.submit('contact', [['name', 'Ada']])).status).toBe(500);
    expect(relay.logged.findLast(({ event }) => event === 'delivery_failed')?.reason).toBe(
      '`NTFY_URL` ends with no topic',
    );
  }
  expect(sink.requests).toEqual([]);
  for (const path of ['/my-topic', '/my-topic/']) {
    held = `${sink.origin}${path}`;
    expect((await relay.submit('contact', [['name', 'Ada']])).status).toBe(200);
  }
  expect(sink.requests.map(({ url }) => url)).toEqual(['/', '/']);
});
