/** Answers that mean nothing. */
import { expect, onTestFinished, test } from 'vitest';
import { startHttpSink } from '../../../test/support/http_sink.ts';
import { startRelay } from '../../../test/support/relay.ts';

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
