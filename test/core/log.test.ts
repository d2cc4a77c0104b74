import { expect, test } from 'vitest';
import { createRelay } from '../../packages/runtimes/src/index.ts';

test('the line of a submission tells of each delivery in plain members, also of one that failed', async () => {
  const lines: object[] = [];
  const relay = createRelay({
    // Nobody listens on port 1.
    config:
      'forms: {contact: {fields: [{name: email}], outputs: [{type: http_post, url: "http://127.0.0.1:1/", mapping: "*", on_error: continue}]}}',
    env: {},
    services: {
      log: (level, event, fields) => void (event === 'submission' && lines.push({ level, ...fields })),
    },
  });
  const body = new URLSearchParams({ email: 'ada@example.org' });
  const request = new Request('http://relay/api/v1/submit/contact', { method: 'POST', body });
  expect((await relay.fetch(request)).status).toBe(200);
  await relay.close();
  expect(lines).toHaveLength(1);
  const told = { output: 0, type: 'http_post', outcome: 'failed', reason: 'connect ECONNREFUSED' };
  const numbers = { tries: expect.any(Number), ms: expect.any(Number) };
  expect(lines).toMatchObject([{ outcome: 'delivered', deliveries: [{ ...told, ...numbers }] }]);
  expect(JSON.stringify(lines)).not.toContain('"error"');
});
