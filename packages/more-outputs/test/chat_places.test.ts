/** Where in a service a message goes, as its keys say it, and answers that mean nothing. */
import { expect, onTestFinished, test } from 'vitest';
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
